import Discovery
import Primitives
import Testing

@Suite("Service text")
struct ServiceTextTests {
    private static let node = NodeID(words: (1, 2, 3, 4))
    private static var id: String { "id=\(node.text)" }

    @Test("reads what it writes, in strings that fit a TXT record")
    func roundTrip() {
        let text = ServiceText(node: ServiceTextTests.node, mesh: "party line")
        #expect(ServiceText(entries: text.entries) == text)
        #expect(text.entries.allSatisfy { $0.count <= 255 })
    }

    @Test(
        "is believed",
        arguments: [
            ["v=1", id, "mesh=m"],
            ["mesh=m", "ID=\(node.text)", "V=1"],
            ["v=1", id, "mesh=m", "mesh=other", "unknown=1", "flag", "=", ""],
        ])
    func good(entries: [String]) {
        let text = ServiceText(entries: entries.map { Array($0.utf8) })
        #expect(text == ServiceText(node: ServiceTextTests.node, mesh: "m"))
    }

    @Test(
        "is not believed",
        arguments: [
            [], ["v=1"], ["v=1", id], ["v=1", "mesh=m"], [id, "mesh=m"],
            ["v=2", id, "mesh=m"], ["v=", id, "mesh=m"], ["v=1", id, "mesh="], ["v=1", "id=", "mesh=m"],
            ["v=1", "id=\(node.text.dropLast())", "mesh=m"], ["v=1", "id=\(node.text)A", "mesh=m"],
            ["v=1", "mesh=m", "id=" + String(repeating: "B", count: 56)],
            ["v=1", "mesh=m", "id=" + String(repeating: "é", count: 56)],
            ["v=1", id, "mesh=" + String(repeating: "m", count: 300)],
            Array(repeating: "x=1", count: 16) + ["v=1", id, "mesh=m"],
        ])
    func bad(entries: [String]) {
        #expect(ServiceText(entries: entries.map { Array($0.utf8) }) == nil)
    }

    @Test("bytes that are no UTF-8 are no text")
    func notText() {
        let entries = [Array("v=1".utf8), Array(ServiceTextTests.id.utf8), Array("mesh=".utf8) + [0xFF, 0xFE]]
        #expect(ServiceText(entries: entries) == nil)
    }

    @Test("random bytes never trap")
    func randomBytes() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let entries = (0..<random.below(20)).map { _ in
                (0..<random.below(260)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            #expect(ServiceText(entries: entries) == nil)
        }
    }

    @Test(
        "service names fit a DNS label and keep the short id",
        arguments: [
            "Anna", "", String(repeating: "a", count: 80), String(repeating: "é", count: 80),
            String(repeating: "👩‍👩‍👧", count: 10),
        ])
    func serviceName(name: String) {
        let text = SafeText(name, graphemesMax: 200, bytesMax: 400)
        let label = ServiceText.serviceName(text, ServiceTextTests.node)
        #expect(label.utf8.count <= 63)
        #expect(label.hasSuffix("(\(ServiceTextTests.node.short))"))
    }
}
