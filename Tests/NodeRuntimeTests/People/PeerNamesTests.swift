import NodeRuntime
import Primitives
import Testing

@Suite("the names of nodes")
struct PeerNamesTests {
    private func node(_ number: Int) -> NodeID { NodeID(words: (UInt64(bitPattern: Int64(number)), 0, 0, 1)) }

    @Test("strangers under ever new keys take the names neither of known nodes nor of nodes that come later")
    func strangers() {
        var names = PeerNames()
        let known = node(0)
        for name in ["FOH", "Stage"] { names.set(SafeText(name), of: known) { $0 == known } }
        for number in 1...2 * PeerNames.countMax {
            names.set(SafeText("made up"), of: node(number)) { $0 == known }
        }
        names.set(SafeText("Gate"), of: node(-1)) { $0 == known }
        #expect(names[known] == SafeText("Stage") && names.former(of: known) == SafeText("FOH"))
        #expect(names[node(-1)] == SafeText("Gate"))
        let kept = (1...2 * PeerNames.countMax).count { names[node($0)] != nil }
        #expect(kept < PeerNames.countMax, "it is bounded")
    }

    @Test("the former name is the one before the present one; the same name again changes nothing")
    func former() {
        var names = PeerNames()
        for name in ["", "FOH", "FOH", "Stage", "Stage"] { names.set(SafeText(name), of: node(1)) { _ in true } }
        #expect(names[node(1)] == SafeText("Stage") && names.former(of: node(1)) == SafeText("FOH"))
        #expect(names[node(2)] == nil && names.former(of: node(2)) == nil)
    }
}
