import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("A new carrier for a link that is up")
struct RenewalTests {
    private func linked(_ side: LinkSide) throws -> (LinkStage, LinkPuppet) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        stage.pass(.milliseconds(100))
        return (stage, peer)
    }

    private func waits(_ stage: LinkStage, since begin: Instant) -> [Interval] { stage.dials.map { $0.at - begin } }

    @Test("after a lost carrier the leader dials at once, and the follower one to two seconds later")
    func first() throws {
        let (stage, peer) = try linked(.leads)
        let begin = stage.now
        stage.close(1)
        #expect(stage.state(peer) == .up && stage.link(peer)?.renewal == .due(at: begin))
        stage.pass(.seconds(2))
        #expect(waits(stage, since: begin) == [.zero] && stage.dials[0].endpoint == peer.endpoint)
        let (other, leader) = try linked(.follows)
        let later = other.now
        other.close(1)
        other.pass(.seconds(2))
        let wait = try #require(waits(other, since: later).first)
        #expect(.seconds(1) <= wait && wait <= .seconds(2) && other.dials.count == 1)
        #expect(other.counter(.linksDown) == 0 && other.state(leader) == .up)
    }

    @Test("a renewal waits five seconds for HELLO and three for an answer; each timeout is a failure of the peer")
    func deadlines() throws {
        let (stage, peer) = try linked(.leads)
        stage.onDial = { dial, _ in
            peer.open(2, dial: dial)
            peer.prove(on: 2)
        }
        stage.close(1)
        stage.passAlmost(.seconds(5))
        #expect(stage.counter(.attemptsFailed) == 0)
        stage.tick()
        #expect(stage.counter(.attemptsFailed) == 1 && stage.peer(peer)?.lastFailure == "no hello")
        #expect(stage.isClosed(2) && stage.peer(peer)?.failures == 1)
        stage.onDial = { dial, _ in peer.greet(3, dial: dial) }
        stage.pass(.milliseconds(500))
        #expect(stage.invites(on: 3).count == 1)
        guard case .negotiating(let negotiation) = stage.link(peer)?.renewal else {
            Issue.record("nothing is negotiated")
            return
        }
        #expect(negotiation.carrier.number == 3)
        let left = negotiation.deadline - stage.now
        #expect(left <= .seconds(3) && .milliseconds(2_500) <= left)
        stage.passAlmost(left)
        #expect(stage.counter(.attemptsFailed) == 1)
        stage.tick()
        #expect(stage.counter(.attemptsFailed) == 2 && stage.peer(peer)?.lastFailure == "no answer")
        #expect(stage.isClosed(3) && stage.state(peer) == .up)
    }

    @Test("while a link is verified no carrier is dialled, and the renewal is postponed by 100 ms each time")
    func inDoubt() throws {
        let (stage, peer) = try linked(.leads)
        peer.isAnswering = false
        stage.close(1)
        #expect(stage.state(peer) == .verifying)
        stage.pass(.zero)
        #expect(stage.link(peer)?.renewal == .due(at: stage.now + .milliseconds(100)) && stage.dials.isEmpty)
        stage.pass(.milliseconds(150))
        peer.isAnswering = true
        let begin = stage.now
        stage.pass(.milliseconds(160))
        #expect(stage.state(peer) == .up && waits(stage, since: begin).count == 1)
    }

    @Test("five failed renewals quarantine the carrier, and report nothing about the peer")
    func quarantine() throws {
        let (stage, peer) = try linked(.follows)
        stage.refuseDials()
        stage.close(1)
        for _ in 0..<40 where stage.counter(.quarantines) == 0 { stage.pass(.seconds(1)) }
        #expect(stage.counter(.quarantines) == 1 && stage.counter(.attemptsFailed) == 5)
        #expect(!stage.events.contains { if case .quarantined = $0 { true } else { false } })
        guard case .due(let at) = stage.link(peer)?.renewal else {
            Issue.record("no renewal is due")
            return
        }
        #expect(.seconds(3) <= at - stage.now && at - stage.now <= .seconds(8) && stage.state(peer) == .up)
    }

    @Test("a second carrier that fails beside the first is given up, and no renewal is due")
    func besideCarrier() throws {
        let (stage, peer) = try linked(.leads)
        stage.pass(.seconds(2))
        peer.greet(2)
        #expect(stage.invites(on: 2).count == 1)
        stage.close(2)
        #expect(stage.link(peer)?.renewal == CarrierRenewal.none && stage.counter(.attemptsFailed) == 1)
        #expect(stage.peer(peer)?.hasCarrier == true && stage.peer(peer)?.failures == 0)
        stage.pass(.seconds(20))
        #expect(stage.dials.isEmpty)
    }

    @Test("the address at which the peer answers now is dialled first")
    func whereItAnswers() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        let lan = Endpoint(address: IPAddress(v4: 10, 0, 0, 3), port: 7400)
        peer.extraEndpoints = [lan]
        try peer.link(on: 1)
        stage.pass(.seconds(1))
        stage.close(1)
        stage.pass(.seconds(1))
        #expect(stage.dials.map(\.endpoint) == [peer.endpoint, lan])
    }
}
