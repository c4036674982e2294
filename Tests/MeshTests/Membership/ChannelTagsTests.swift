import Mesh
import Primitives
import Testing
import Wire

@Suite("Channels with a code in the lists of two nodes")
struct ChannelTagsTests {
    private static let lights = ChannelID(high: 1, low: 2, hasCode: true)
    private static let tags = (1...3 as ClosedRange<UInt64>).map { ChannelID(high: 9, low: $0) }

    private let mesh = ScriptedMesh()
    private let puppet: ScriptedPeer
    private let slot: PeerSlot

    init() throws {
        puppet = mesh.link(2)
        let id = puppet.id
        slot = try #require(
            mesh.events.compactMap { event in
                if case .peerUp(let slot, let node, _, _) = event, node == id { slot } else { nil }
            }.first)
        mesh.command(.setChannels([Self.lights], talks: []))
        mesh.pass(.seconds(1))
    }

    private func prove(_ newest: Int, older: [Int] = [], isNewestHeld: Bool = false) {
        let tags = ChannelTags(
            Self.lights, newest: Self.tags[newest], older: older.map { Self.tags[$0] }, isNewestHeld: isNewestHeld)
        mesh.input(.channelTags([tags], of: slot))
        mesh.pass(.seconds(1))
    }

    private func advertise(_ tag: Int) {
        mesh.advertise(channels: [Self.tags[tag]], by: puppet)
        mesh.pass(.seconds(1))
    }

    /// The list that the puppet was sent last.
    private var told: [ChannelID]? { puppet.messages.compactMap(\.advertisedChannels).last }

    @Test("the channel is named by its tag, and not at all without a proof")
    func naming() {
        #expect(told == [])
        prove(0)
        #expect(told == [Self.tags[0]])
        mesh.input(.channelTags([], of: slot))
        mesh.pass(.seconds(1))
        #expect(told == [])
    }

    @Test("a list of the peer with any of the three tags names the channel, and none once they have ended")
    func reading() {
        prove(2, older: [1, 0])
        for tag in 0...2 {
            advertise(tag)
            #expect(mesh.peer(puppet)?.channels == [Self.lights])
        }
        mesh.input(.channelTags([], of: slot))
        #expect(mesh.peer(puppet)?.channels == [Self.tags[2]])
    }

    @Test("a list with several tags of the channel names it once for people, and keeps its places for labels")
    func repeatedTags() throws {
        prove(2, older: [1, 0])
        mesh.advertise(channels: Self.tags, by: puppet)
        mesh.pass(.seconds(1))
        #expect(mesh.peer(puppet)?.channels == [Self.lights])
        let told = mesh.events.compactMap { event in
            if case .peerChannels(_, _, let channels) = event { channels } else { nil }
        }
        #expect(told.last == [Self.lights])
        let lists = mesh.log.compactMap { entry in
            if case .peerListens(let channels, _, _) = entry.what { channels } else { nil }
        }
        #expect(lists.last == [Self.lights, Self.lights, Self.lights])
    }

    @Test("the channel goes by the older tag that the peer uses, until it uses the newest")
    func olderTags() {
        prove(0)
        advertise(0)
        prove(2, older: [1, 0])
        #expect(told == [Self.tags[0]])
        advertise(1)
        #expect(told == [Self.tags[1]])
        advertise(2)
        #expect(told == [Self.tags[2]])
    }

    @Test("the channel goes by the newest tag at once where the peer is known to have it")
    func heldTag() {
        prove(0)
        advertise(0)
        prove(1, older: [0], isNewestHeld: true)
        #expect(told == [Self.tags[1]])
    }
}
