import Mesh
import Primitives
import Testing

@Suite("Channels of a peer, and a list ahead of them")
struct HeldChannelsTests {
    private func list(_ number: UInt64) -> [ChannelID] { [ChannelID(high: 0, low: number)] }

    private func channels() -> HeldChannels {
        HeldChannels(allowance: TokenBucket(burst: 8, interval: .milliseconds(500), now: .zero))
    }

    @Test("a list ahead of the first view stays in use until the session has a view of that generation")
    func aheadOfFirst() {
        var held = channels()
        let isOverRate = held.receiveAhead(list(5), generation: 200, now: .zero)
        #expect(!isOverRate)
        _ = held.receive(ChannelView(list(6)), generation: 201, isEarly: true, now: .zero)
        #expect(held.listened == list(5) && held.generation == 200)
        _ = held.receive(ChannelView(list(4)), generation: 199, isEarly: false, now: .zero)
        #expect(held.listened == list(5) && held.generation == 200)
        _ = held.receive(ChannelView(list(7)), generation: 200, isEarly: false, now: .zero)
        #expect(held.listened == list(7))
    }

    @Test("a list ahead stays in use in the next session of the same boot, under no generation")
    func nextSession() {
        var held = channels()
        _ = held.receive(ChannelView(list(1), talks: list(9)), generation: 3, isEarly: false, now: .zero)
        _ = held.receiveAhead(list(2), generation: 4, now: .zero)
        held.beginSession(isSameBoot: true)
        #expect(held.listened == list(2) && held.view.talks == list(9) && held.generation == 0)
        _ = held.receive(ChannelView(list(3)), generation: 5, isEarly: false, now: .zero)
        #expect(held.listened == list(3) && held.generation == 5)
        _ = held.receiveAhead(list(2), generation: 6, now: .zero)
        held.beginSession(isSameBoot: false)
        #expect(held.listened.isEmpty)
    }
}
