import Channels
import Primitives
import Testing

@Suite("to whom the talk keys speak")
struct TalkKeysTests {
    private static let stage = ChannelID(high: 9, low: 1)
    private static let lights = ChannelID(high: 9, low: 2)
    private static let rig = ChannelID(high: 9, low: 3)

    private func list(_ entries: ListeningEntry...) throws -> ListeningList {
        var list = ListeningList()
        for entry in entries { try list.join(entry) }
        return list
    }

    @Test("a key without targets of its own speaks on the chosen channels")
    func standard() throws {
        var list = try list(ListeningEntry(Self.stage), ListeningEntry(Self.lights))
        #expect(TalkKeys().targets(list) == [KeyTargets(channels: [Self.stage])])
        try list.talk(on: [Self.lights])
        #expect(TalkKeys().targets(list) == [KeyTargets(channels: [Self.lights])])
    }

    @Test("a key speaks on a channel that the node has not joined, and not on one where it only listens")
    func manners() throws {
        let keys = TalkKeys([KeyTargets(channels: [Self.stage, Self.lights])])
        let list = try list(ListeningEntry(Self.lights, manner: .listenOnly))
        #expect(keys.targets(list) == [KeyTargets(channels: [Self.stage])])
    }

    @Test("each key follows a renamed channel once, and names it once")
    func renamed() throws {
        var keys = TalkKeys([
            nil, KeyTargets(channels: [Self.stage, Self.lights]), KeyTargets(channels: [Self.stage, Self.rig]),
        ])
        keys.follow(Self.stage, to: Self.rig)
        #expect(keys[1]?.channels == [Self.rig, Self.lights] && keys[2]?.channels == [Self.rig])
        // The old name may be made anew, by somebody else.
        keys.follow(Self.stage, to: Self.lights)
        #expect(keys[1]?.channels == [Self.rig, Self.lights])
        #expect(keys[0] == nil && keys.count == 3)
    }

    @Test("a key may be added or changed")
    func changed() {
        var keys = TalkKeys()
        keys.set(KeyTargets(isToAll: true), of: 1)
        #expect(keys.count == 2 && keys[1]?.isToAll == true)
        keys.set(KeyTargets(isReply: true), of: 1)
        #expect(keys.count == 2 && keys[1] == KeyTargets(isReply: true))
    }
}
