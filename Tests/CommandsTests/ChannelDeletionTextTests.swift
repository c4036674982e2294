import Commands
import NodeRuntime
import Testing

@Suite("Who is on a channel that was deleted")
struct ChannelDeletionTextTests {
    @Test(
        "a person learns how many stay there, with this node, and who they are",
        arguments: [
            ("Lights", "3 nodes are still on it and stay there until 'partyline part': this node, SM, LX"),
            ("stage", "1 node is still on it and stays there until 'partyline part': this node"), ("old", nil),
            ("rig", nil),
        ] as [(String, String?)])
    func note(name: String, words: String?) {
        #expect(ChannelDeletionText.note(of: name, in: ChannelTableTests.document) == words)
    }
}
