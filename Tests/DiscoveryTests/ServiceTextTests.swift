import Discovery
import Primitives
import Testing

@Suite("Service text")
struct ServiceTextTests {
    private static let node = NodeID(words: (1, 2, 3, 4))
    private static var id: String { "id=\(node.text)" }
    private static let sealed = ServiceText.sealed(
        salt: [0x1A, 0x2B, 0x3C, 0x4D] + [UInt8](0..<12), tag: [UInt8](240...255), node: [UInt8](100..<160))
    private static let salt = "salt=1a2b3c4d000102030405060708090a0b"
    private static let tag = "tag=f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
    private static let sealedNode =
        "node=6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f9091929394959697"
        + "98999a9b9c9d9e9f"

    private static let faults: [[String]] = [
        ["v=2"], ["v=2", salt], ["v=2", salt, tag], ["v=2", salt, sealedNode], ["v=2", tag, sealedNode],
        [salt, tag, sealedNode], ["v=1", salt, tag, sealedNode], ["v=3", salt, tag, sealedNode],
        ["v=22", salt, tag, sealedNode],
        ["v=2", cut(salt, by: 1), tag, sealedNode], ["v=2", cut(salt, by: 2), tag, sealedNode],
        ["v=2", "\(salt)0", tag, sealedNode], ["v=2", "\(salt)00", tag, sealedNode],
        ["v=2", salt, cut(tag, by: 2), sealedNode], ["v=2", salt, "\(tag)00", sealedNode],
        ["v=2", salt, tag, cut(sealedNode, by: 2)], ["v=2", salt, tag, "\(sealedNode)00"],
        ["v=2", salt, tag, sealedNode + String(repeating: "0", count: 200)],
        ["v=2", "salt=", tag, sealedNode], ["v=2", "salt", tag, sealedNode],
        ["v=2", "salt=g\(salt.dropFirst(6))", tag, sealedNode],
        ["v=2", "salt=\(salt.dropFirst(5).uppercased())", tag, sealedNode],
        ["v=2", "salt=é\(salt.dropFirst(7))", tag, sealedNode],
        ["v=2", "salt=00", salt, tag, sealedNode],
        Array(repeating: "x=1", count: 13) + ["v=2", salt, tag, sealedNode],
    ]

    private static func cut(_ text: String, by count: Int) -> String { String(text.dropLast(count)) }

    private func parsed(_ entries: [String]) -> ServiceText? { ServiceText(entries: entries.map { Array($0.utf8) }) }

    @Test("reads what it writes, in strings that fit a TXT record")
    func roundTrip() {
        for text in [ServiceText.open(node: Self.node, mesh: "party line"), Self.sealed] {
            #expect(ServiceText(entries: text.entries) == text)
            #expect(text.entries.allSatisfy { $0.count <= 255 })
        }
    }

    @Test("a text of a closed mesh has version, salt, tag and sealed NodeID, and nothing else")
    func sealedEntries() {
        let texts = Self.sealed.entries.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts == ["v=2", Self.salt, Self.tag, Self.sealedNode])
    }

    @Test(
        "is believed",
        arguments: [
            ["v=1", id, "mesh=m"],
            ["mesh=m", "ID=\(node.text)", "V=1"],
            ["v=1", id, "mesh=m", "mesh=other", "unknown=1", "flag", "=", ""],
        ])
    func good(entries: [String]) {
        #expect(parsed(entries) == .open(node: Self.node, mesh: "m"))
    }

    @Test(
        "of a closed mesh is believed",
        arguments: [
            ["v=2", salt, tag, sealedNode], [sealedNode, tag, salt, "V=2"],
            ["v=2", salt, tag, sealedNode, "node=00", id, "mesh=m", "flag", "="],
        ])
    func goodSealed(entries: [String]) {
        #expect(parsed(entries) == Self.sealed)
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
        #expect(parsed(entries) == nil)
    }

    @Test(
        "of a closed mesh is not believed: cut, too long, missing, of another version, no digits or large ones",
        arguments: faults)
    func badSealed(entries: [String]) {
        #expect(parsed(entries) == nil)
    }

    @Test("bytes that are no UTF-8 are no text")
    func notText() {
        let entries = [Array("v=1".utf8), Array(ServiceTextTests.id.utf8), Array("mesh=".utf8) + [0xFF, 0xFE]]
        #expect(ServiceText(entries: entries) == nil)
        let texts = [Self.salt, Self.tag].map { Array($0.utf8) }
        let damaged = [Array("v=2".utf8), [0xFF, 0x3D]] + texts + [Array("node=".utf8) + [0xFF]]
        #expect(ServiceText(entries: damaged) == nil)
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

    @Test("one changed byte of a text of a closed mesh makes another text of it, or none")
    func changedBytes() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<2_000 {
            var entries = Self.sealed.entries
            let entry = Int(random.below(UInt64(entries.count)))
            let index = Int(random.below(UInt64(entries[entry].count)))
            let bit = UInt8(1) << UInt8(truncatingIfNeeded: random.below(8))
            entries[entry][index] ^= bit
            switch ServiceText(entries: entries) {
            case nil: break
            // The case of a key does not count.
            case Self.sealed?: #expect(index < 4 && bit == 0x20)
            case .sealed?: #expect("0123456789abcdef".utf8.contains(entries[entry][index]))
            case .open?: Issue.record("a text of an open mesh")
            }
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
        let label = ServiceText.open(node: ServiceTextTests.node, mesh: "m").serviceName(text)
        #expect(label.utf8.count <= 63)
        #expect(label.hasSuffix("(\(ServiceTextTests.node.short))"))
        #expect(Self.sealed.serviceName(text) == "partyline-1a2b3c4d")
    }
}
