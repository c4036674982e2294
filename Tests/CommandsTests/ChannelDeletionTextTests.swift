import Commands
import NodeRuntime
import Testing

@Suite("The nodes on a deleted channel as text")
struct ChannelDeletionTextTests {
    @Test(
        "a person learns the number and the names of the nodes that stay there, this one included",
        arguments: [
            ("Lights", "3 nodes are still on it and stay there until `partyline part lights`: this node, SM, LX"),
            ("stage", "1 node is still on it and stays there until `partyline part stage`: this node"), ("old", nil),
            ("rig", nil),
        ] as [(String, String?)])
    func note(name: String, words: String?) {
        #expect(ChannelDeletionText.note(of: name, in: ChannelTableTests.document) == words)
    }

    @Test("all nodes are named, however many there are")
    func allNames() throws {
        var document = ChannelTableTests.document
        document.channels[0].members = (100..<200).map { "node-\($0)" }
        let note = try #require(ChannelDeletionText.note(of: "lights", in: document))
        #expect(note.hasPrefix("101 nodes ") && note.hasSuffix(", node-199"))
    }
}
