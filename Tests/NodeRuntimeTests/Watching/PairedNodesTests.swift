import NodeRuntime
import Primitives
import Testing

@Suite("Nodes that were given the secret by pairing codes")
struct PairedNodesTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 2, 3, 4)) }

    @Test("each of several nodes is told of once, at its first link")
    func several() {
        var paired = PairedNodes()
        for number in 1...3 as ClosedRange<UInt64> { paired.add(node(number)) }
        paired.add(node(2))
        #expect(!paired.remove(node(9)))
        for number in [3, 1, 2] as [UInt64] {
            #expect(paired.remove(node(number)) && !paired.remove(node(number)))
        }
    }

    @Test("one more than the most takes the place of the oldest")
    func bound() {
        var paired = PairedNodes()
        for number in 1...UInt64(PairedNodes.countMax) + 1 { paired.add(node(number)) }
        #expect(!paired.remove(node(1)) && paired.remove(node(2)))
    }
}
