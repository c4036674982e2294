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
        let told = [9, 3, 3, 1, 2, 1, 2].map { paired.remove(node($0)) }
        #expect(told == [false, true, false, true, true, false, false])
    }

    @Test("one more than the most takes the place of the oldest")
    func bound() {
        var paired = PairedNodes()
        for number in 1...UInt64(PairedNodes.countMax) + 1 { paired.add(node(number)) }
        let told = [1, 2].map { paired.remove(node($0)) }
        #expect(told == [false, true])
    }
}
