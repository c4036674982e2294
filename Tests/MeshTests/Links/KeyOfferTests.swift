import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Offers of new keys")
struct KeyOfferTests {
    private func linked(_ side: LinkSide) throws -> (LinkStage, LinkPuppet) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        return (stage, peer)
    }

    private func offers(_ stage: LinkStage) -> [MediaKeyOffer] {
        stage.messages(on: 1).compactMap { if case .mediaKey(let offer) = $0 { offer } else { nil } }
    }

    private func answers(_ stage: LinkStage) -> [MediaKeyOffer] {
        stage.messages(on: 1).compactMap { if case .mediaKeyAnswer(let offer) = $0 { offer } else { nil } }
    }

    @Test("the leader offers new keys after 110 s, and the next generation five seconds later if no answer comes")
    func offering() throws {
        let (stage, peer) = try linked(.leads)
        let agreed = try #require(peer.agreed)
        stage.pass(.seconds(110) - Interval(nanoseconds: 1))
        #expect(offers(stage).isEmpty)
        stage.pass(.milliseconds(501))
        #expect(offers(stage).map(\.generation) == [2])
        let late = agreed.media.makeOffer(generation: 2, keyID: peer.makeKeyID())
        let offered = stage.sent.last { if case .mediaKey = $0.message { true } else { false } }
        stage.passAlmost(try #require(offered).at + .seconds(5) - stage.now)
        #expect(offers(stage).count == 1)
        stage.tick()
        #expect(offers(stage).map(\.generation) == [2, 3])
        #expect(Set(offers(stage).map(\.keyID)).count == 2)
        stage.frame(.mediaKeyAnswer(late), on: 1)
        #expect(stage.counter(.keyOffersStale) == 1 && stage.counter(.rekeys) == 0)
        let answer = agreed.media.makeOffer(generation: 3, keyID: peer.makeKeyID())
        _ = agreed.media.install(peer: offers(stage)[1], now: stage.now)
        stage.frame(.mediaKeyAnswer(answer), on: 1)
        agreed.media.startSending(generation: 3, now: stage.now)
        #expect(stage.counter(.rekeys) == 1 && stage.messages(on: 1).last == .mediaKeyConfirm(generation: 3))
        stage.frame(.mediaKeyAnswer(answer), on: 1)
        #expect(stage.counter(.keyOffersStale) == 2 && stage.counter(.rekeys) == 1)
        // The new keys seal from now on, and serve for two minutes.
        let heard = agreed.bodies.count
        stage.input(.voice([9], to: PeerSlot(index: 0)))
        #expect(agreed.bodies.count == heard + 1 && agreed.keyIDsHeard.last == answer.keyID)
        stage.pass(.seconds(109))
        #expect(offers(stage).count == 2)
        stage.pass(.seconds(2))
        #expect(offers(stage).map(\.generation) == [2, 3, 4])
    }

    @Test("a carrier on which two offers in a row have no answer is closed, and the link lives on")
    func noAnswer() throws {
        let (stage, peer) = try linked(.leads)
        stage.pass(.seconds(110) + .milliseconds(501))
        let offered = stage.sent.last { if case .mediaKey = $0.message { true } else { false } }
        let offeredAt = try #require(offered).at
        stage.passAlmost(offeredAt + .seconds(10) - stage.now)
        #expect(offers(stage).map(\.generation) == [2, 3] && !stage.isClosed(1))
        stage.tick()
        #expect(offers(stage).count == 2 && stage.isClosed(1))
        #expect(stage.peer(peer)?.hasCarrier == false && [.up, .verifying].contains(stage.state(peer)))
    }

    @Test("without a carrier the leader offers no keys")
    func noCarrier() throws {
        let (stage, peer) = try linked(.leads)
        stage.pass(.seconds(100))
        stage.close(1)
        stage.pass(.seconds(30))
        #expect(offers(stage).isEmpty && stage.state(peer) == .up)
    }

    struct Offer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var side = LinkSide.follows
        var carrier: UInt64 = 1
        var generation: UInt32 = 2
        var isDegenerate = false
    }

    @Test(
        "an offer counts only from the leader, on the link's carrier, of a later generation, with valid keys",
        arguments: [
            Offer(testDescription: "a follower's", side: .leads), Offer(testDescription: "another carrier", carrier: 2),
            Offer(testDescription: "the same generation", generation: 1),
            Offer(testDescription: "a degenerate public key", isDegenerate: true),
        ])
    func stale(_ one: Offer) throws {
        let (stage, peer) = try linked(one.side)
        let agreed = try #require(peer.agreed)
        if one.carrier == 2 { peer.greet(2) }
        var offer = agreed.media.makeOffer(generation: one.generation, keyID: peer.makeKeyID())
        if one.isDegenerate { offer.ephemeralPublicKey = [UInt8](repeating: 0, count: 32) }
        stage.frame(.mediaKey(offer), on: one.carrier)
        #expect(stage.counter(.keyOffersStale) == 1 && answers(stage).isEmpty)
        #expect(stage.counter(.rekeys) == 0 && stage.counter(.agreementsOverRate) == 0)
    }

    enum Proof: CaseIterable { case confirmation, datagram }

    @Test(
        "a follower answers an offer at once, and seals with the new keys when the leader has proved to have them",
        arguments: Proof.allCases)
    func answering(_ proof: Proof) throws {
        let (stage, peer) = try linked(.follows)
        let agreed = try #require(peer.agreed)
        stage.pass(.seconds(1))
        let former = agreed.keyIDsHeard.last
        let offer = agreed.media.makeOffer(generation: 5, keyID: peer.makeKeyID())
        stage.frame(.mediaKey(offer), on: 1)
        let answer = try #require(answers(stage).last)
        #expect(answer.generation == 5 && stage.counter(.rekeys) == 0)
        _ = agreed.media.install(peer: answer, now: stage.now)
        stage.input(.voice([1], to: PeerSlot(index: 0)))
        #expect(agreed.keyIDsHeard.last == former)
        // Messages about another generation, and an answer without an offer, change nothing.
        stage.frame(.mediaKeyConfirm(generation: 4), on: 1)
        stage.frame(.mediaKeyAnswer(offer), on: 1)
        #expect(stage.counter(.rekeys) == 0 && stage.counter(.keyOffersStale) == 1)
        agreed.media.startSending(generation: 5, now: stage.now)
        switch proof {
        case .confirmation: stage.frame(.mediaKeyConfirm(generation: 5), on: 1)
        case .datagram: peer.say(DatagramBody(voice: [3]))
        }
        #expect(stage.counter(.rekeys) == 1)
        stage.input(.voice([2], to: PeerSlot(index: 0)))
        #expect(agreed.keyIDsHeard.last == offer.keyID)
        // A second confirmation changes nothing.
        stage.frame(.mediaKeyConfirm(generation: 5), on: 1)
        #expect(stage.counter(.rekeys) == 1)
    }

    @Test("a confirmation counts only on the link's carrier, and a leader ignores it")
    func confirmations() throws {
        let (stage, peer) = try linked(.follows)
        let agreed = try #require(peer.agreed)
        let offer = agreed.media.makeOffer(generation: 2, keyID: peer.makeKeyID())
        stage.frame(.mediaKey(offer), on: 1)
        peer.greet(2)
        stage.frame(.mediaKeyConfirm(generation: 2), on: 2)
        #expect(stage.counter(.rekeys) == 0)
        stage.frame(.mediaKeyConfirm(generation: 2), on: 1)
        #expect(stage.counter(.rekeys) == 1)
        let (other, follower) = try linked(.leads)
        other.pass(.seconds(111))
        #expect(offers(other).count == 1 && follower.agreed != nil)
        other.frame(.mediaKeyConfirm(generation: 2), on: 1)
        #expect(other.counter(.rekeys) == 0)
    }

    @Test("offers and invitations share one allowance: 31 offers may follow one invitation")
    func allowance() throws {
        let (stage, peer) = try linked(.follows)
        let agreed = try #require(peer.agreed)
        for generation in 2...34 as ClosedRange<UInt32> {
            stage.frame(.mediaKey(agreed.media.makeOffer(generation: generation, keyID: peer.makeKeyID())), on: 1)
        }
        #expect(answers(stage).count == 31 && stage.counter(.agreementsOverRate) == 2)
        #expect(stage.counter(.keyOffersStale) == 0)
    }

    @Test("a follower's keys last 180 s from the last change of keys")
    func lifetime() throws {
        let (stage, peer) = try linked(.follows)
        let agreed = try #require(peer.agreed)
        stage.pass(.seconds(100))
        let offer = agreed.media.makeOffer(generation: 2, keyID: peer.makeKeyID())
        stage.frame(.mediaKey(offer), on: 1)
        _ = agreed.media.install(peer: try #require(answers(stage).last), now: stage.now)
        agreed.media.startSending(generation: 2, now: stage.now)
        stage.frame(.mediaKeyConfirm(generation: 2), on: 1)
        stage.passAlmost(.seconds(180))
        #expect(stage.counter(.keysExpired) == 0)
        stage.tick()
        #expect(stage.counter(.keysExpired) == 1 && stage.counter(.linksDown) == 1)
    }
}
