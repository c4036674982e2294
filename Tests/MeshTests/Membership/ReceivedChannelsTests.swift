import Mesh
import Primitives
import Testing

@Suite("Channels of a peer, and a list ahead of them")
struct ReceivedChannelsTests {
    private func list(_ number: UInt64) -> [ChannelID] { [ChannelID(high: 0, low: number)] }

    private func channels() -> ReceivedChannels {
        ReceivedChannels(allowance: TokenBucket(burst: 8, interval: .milliseconds(500), now: .zero))
    }

    @Test("a list ahead of the first view stays in use until the session has a view of that generation")
    func aheadOfFirst() {
        var received = channels()
        let isOverRate = received.receiveAhead(list(5), generation: 200, now: .zero)
        #expect(!isOverRate)
        _ = received.receive(ChannelView(list(6)), generation: 201, isOfCandidate: true, now: .zero)
        #expect(received.listened == list(5) && received.listenedGeneration == 200)
        _ = received.receive(ChannelView(list(4)), generation: 199, isOfCandidate: false, now: .zero)
        #expect(received.listened == list(5) && received.listenedGeneration == 200)
        _ = received.receive(ChannelView(list(7)), generation: 200, isOfCandidate: false, now: .zero)
        #expect(received.listened == list(7))
    }

    @Test("a list ahead stays in use in the next session of the same boot, under no generation")
    func nextSession() {
        var received = channels()
        _ = received.receive(ChannelView(list(1), talks: list(9)), generation: 3, isOfCandidate: false, now: .zero)
        _ = received.receiveAhead(list(2), generation: 4, now: .zero)
        received.beginSession(isSameBoot: true)
        #expect(received.listened == list(2) && received.view.talks == list(9) && received.listenedGeneration == 0)
        _ = received.receive(ChannelView(list(3)), generation: 5, isOfCandidate: false, now: .zero)
        #expect(received.listened == list(3) && received.listenedGeneration == 5)
        _ = received.receiveAhead(list(2), generation: 6, now: .zero)
        received.beginSession(isSameBoot: false)
        #expect(received.listened.isEmpty)
    }
}
