import NodeRuntime
import Testing

@Suite("Deleted channels on which a node is")
struct DeletedChannelsTests {
    @Test("a person is told how to leave a deleted channel, or to make it anew")
    func deleted() {
        #expect(
            DeletedChannels.warning(of: "cue a", renamedTo: nil, isOnNew: false)
                == "channel cue a was deleted, and this node is still on it: `partyline part 'cue a'` leaves it, "
                + "`partyline channel create 'cue a'` makes it anew")
    }

    @Test("a person is told the new name of a channel that this node does not follow, and how to go there or leave")
    func renamed() {
        let start =
            "channel cue was renamed to show by a node that is not known here as its creator, "
            + "so this node stays on cue: "
        #expect(
            DeletedChannels.warning(of: "cue", renamedTo: "show", isOnNew: false)
                == start + "`partyline join show` goes there, `partyline part cue` leaves the old channel")
        #expect(
            DeletedChannels.warning(of: "cue", renamedTo: "show", isOnNew: true)
                == start + "`partyline part cue` leaves the old channel")
    }
}
