import NodeRuntime
import Primitives
import Testing

@Suite("found nodes")
struct FoundNodesTests {
    @Test("each look tells what came and what went since the last one, and another name is no change")
    func changes() {
        let (a, b) = (NodeID(words: (1, 0, 0, 1)), NodeID(words: (2, 0, 0, 1)))
        func change(_ node: NodeID, _ name: String, _ isFound: Bool) -> FoundNodes.Change {
            FoundNodes.Change(node: node, name: SafeText(name), isFound: isFound)
        }
        var found = FoundNodes()
        let looks: [([NodeID: SafeText], [FoundNodes.Change])] = [
            ([:], []), ([a: SafeText("A")], [change(a, "A", true)]), ([a: SafeText("A2")], []),
            ([b: SafeText("B")], [change(a, "A2", false), change(b, "B", true)]), ([:], [change(b, "B", false)]),
        ]
        for (there, changes) in looks {
            let told = found.update(there)
            #expect(told == changes)
        }
    }
}
