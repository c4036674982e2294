import Channels
import NodeRuntime
import Primitives
import Testing

@Suite("how a file wants a node to take part in a channel")
struct ChannelWishTests {
    private static let id = ChannelID(high: 1, low: 2)

    private static func wish(
        _ levelTenths: Int? = nil, _ ear: Ear? = nil, _ manner: ListeningEntry.Manner? = nil
    ) throws -> ChannelWish {
        ChannelWish(try ChannelName(typed: "stage"), levelTenths: levelTenths, ear: ear, manner: manner)
    }

    @Test("what the wish leaves open stays as it was, and a new channel has the standard values")
    func entries() throws {
        let former = ListeningEntry(Self.id, levelTenths: -60, ear: .left, manner: .listenOnly)
        #expect(try Self.wish().entry(Self.id, former: former) == former)
        #expect(try Self.wish().entry(Self.id, former: nil) == ListeningEntry(Self.id))
        let changed = try Self.wish(30, .right, .talkOnly).entry(Self.id, former: former)
        #expect(changed == ListeningEntry(Self.id, levelTenths: 30, ear: .right, manner: .talkOnly))
    }

    @Test("the changes of a wish are what its former one did not want")
    func changes() throws {
        let former = try Self.wish(-60, .left)
        #expect(try Self.wish(-60, .left).changes(since: former).isMoreThanJoining == false)
        #expect(try Self.wish(-30, .left).changes(since: former) == Self.wish(-30))
        #expect(try Self.wish(-60, .both, .listenOnly).changes(since: former) == Self.wish(nil, .both, .listenOnly))
    }

    @Test("a value that is gone from the file is the standard one again")
    func goneValues() throws {
        let name = try ChannelName(typed: "stage")
        let former = ChannelWish(
            name, levelTenths: -60, ear: .left, manner: .listenOnly, programme: .on(dimTenths: nil))
        let change = ChannelWish(name).changes(since: former)
        #expect(change == ChannelWish(name, levelTenths: 0, ear: .both, manner: .listenAndTalk, programme: .off))
        #expect(change.entry(Self.id, former: former.entry(Self.id, former: nil)) == ListeningEntry(Self.id))
        #expect(ChannelWish(name).changes(since: change).isMoreThanJoining == false, "it was the standard one")
    }

    @Test("a wish that takes back programme and listen-only is a change, and the channel has neither")
    func takenBack() throws {
        let name = try ChannelName(typed: "relay")
        let former = ChannelWish(name, manner: .listenOnly, programme: .on(dimTenths: nil))
        let change = ChannelWish(name, manner: .listenAndTalk, programme: .off).changes(since: former)
        #expect(change.entry(Self.id, former: former.entry(Self.id, former: nil)) == ListeningEntry(Self.id))
    }

    @Test("the effect of a wish names each value that it changes, before and after")
    func effect() throws {
        let former = ListeningEntry(Self.id, levelTenths: -120, programmeDimTenths: 140)
        #expect(try Self.wish(0, .left).effect(on: former) == "-12 dB → 0 dB, both ears → left ear")
        #expect(try Self.wish(-120, nil, .listenAndTalk).effect(on: former).isEmpty)
        let off = ChannelWish(try ChannelName(typed: "stage"), manner: .listenOnly, programme: .off)
        #expect(off.effect(on: former) == "listens and talks → listens, programme → no programme")
    }

    @Test("a wish in words has its level with a sign and one decimal")
    func words() throws {
        #expect(try Self.wish().words == "listens and talks")
        #expect(try Self.wish(-5, .left, .listenOnly).words == "listens, -0.5 dB, left ear")
        #expect(try Self.wish(30, .both, .talkOnly).words == "talks, 3 dB, both ears")
    }
}
