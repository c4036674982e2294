import Mesh
import NodeRuntime
import Primitives
import Testing

@Suite("who comes to the channels of a node")
struct ChannelVisitorsTests {
    private let node = NodeID(words: (1, 0, 0, 1))
    private let slot = PeerSlot(index: 3)
    private static func channel(_ number: UInt64) -> ChannelID { ChannelID(high: 9, low: number) }

    private func lists(_ numbers: UInt64...) -> MeshEvent { .peerChannels(slot, node, numbers.map(Self.channel)) }

    private func change(_ number: UInt64, hasJoined: Bool) -> ChannelVisitors.Change {
        ChannelVisitors.Change(node: node, channel: Self.channel(number), hasJoined: hasJoined)
    }

    @Test("a peer comes and goes on the channels that this node hears, and on no other")
    func comeAndGo() {
        var visitors = ChannelVisitors()
        let own = [1, 2].map(Self.channel)
        #expect(visitors.take(lists(1, 5), listened: own) == [change(1, hasJoined: true)])
        #expect(visitors.take(lists(1, 5), listened: own) == [])
        #expect(
            visitors.take(lists(2, 5), listened: own)
                == [change(1, hasJoined: false), change(2, hasJoined: true)])
        let down = MeshEvent.peerDown(slot, node, Instance(exactly: 1)!, .left)
        #expect(visitors.take(down, listened: own) == [change(2, hasJoined: false)])
        #expect(visitors.take(down, listened: own) == [])
    }

    @Test("who is on a channel already when this node joins it has not come")
    func ownJoin() {
        var visitors = ChannelVisitors()
        #expect(visitors.take(lists(1, 2), listened: []) == [])
        #expect(visitors.take(lists(1, 2, 3), listened: [1, 2, 3].map(Self.channel)) == [change(3, hasJoined: true)])
    }

    @Test("a peer that goes at once from a channel of this node to one beside them may follow a renaming")
    func renaming() {
        var visitors = ChannelVisitors()
        let (former, renamed) = ([1, 2].map(Self.channel), [3, 2].map(Self.channel))
        _ = visitors.take(lists(1, 5), listened: former)
        #expect(visitors.mayFollow(lists(3, 5), listened: former))
        // This node has followed meanwhile.
        #expect(visitors.take(lists(3, 5), listened: renamed) == [change(3, hasJoined: true)])
        #expect(!visitors.mayFollow(lists(5), listened: renamed), "it parts a channel")
        #expect(!visitors.mayFollow(lists(3, 5, 6), listened: renamed), "it joins one")
        #expect(!visitors.mayFollow(lists(3, 6), listened: renamed), "it leaves one that this node does not hear")
        #expect(!visitors.mayFollow(lists(2, 5), listened: renamed), "this node hears both")
    }
}

@Suite("the tones that a person wants")
struct ToneTests {
    @Test(
        "a list of words is read, and an unknown word is refused",
        arguments: [
            ("call", [.call]), ("call,urgent,busy", [.call, .urgent, .busy]), ("none", []), ("", nil), ("call,", nil),
            ("bell", nil), ("call, urgent", nil), ("talk", [.talk]),
        ] as [(String, [Tone]?)])
    func list(text: String, tones: [Tone]?) { #expect(Tone.list(text) == tones) }
}
