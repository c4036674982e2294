import MeshSimulator
import Primitives
import Testing

@Suite("Answers to strangers")
struct StrangerCheckerTests {
    private func isFound(_ steps: (Int64, Observation)...) -> Bool {
        var checker = StrangersAreNotServed(nodeCount: 2)
        return steps.map { checker.observe($1, at: .zero + .seconds($0)) }.contains { $0 != nil }
    }

    private func heard(_ byteCount: Int) -> Observation { .strangerHeard(node: 0, of: 1, byteCount: byteCount) }
    private func served(_ byteCount: Int) -> Observation { .strangerServed(node: 0, byteCount: byteCount) }

    @Test("each answer needs a datagram of its own, of at least as many bytes")
    func each() {
        #expect(!isFound((1, heard(300)), (2, heard(300)), (3, served(100)), (4, served(300))))
        #expect(isFound((1, heard(300)), (2, served(100)), (3, served(100))), "two answers to one datagram")
        #expect(isFound((1, heard(100)), (2, heard(100)), (3, served(150))), "amplification")
        #expect(!isFound((1, heard(300)), (2, heard(100)), (3, served(50)), (4, served(300))))
    }

    @Test("a datagram that came more than a minute ago pays for no answer")
    func old() {
        #expect(!isFound((1, heard(100)), (61, served(100))))
        #expect(isFound((1, heard(100)), (60, heard(10)), (62, served(100))))
    }
}
