import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("From HELLO to keys")
struct AgreementTests {
    private func deadline(_ stage: LinkStage, _ peer: LinkPuppet) -> Interval? {
        switch stage.link(peer)?.state {
        case .inviting(let negotiation), .awaitingInvite(let negotiation): negotiation.deadline - stage.now
        default: nil
        }
    }

    private func carrier(_ stage: LinkStage, _ peer: LinkPuppet) -> UInt64? {
        stage.link(peer)?.state.negotiation?.carrier.number
    }

    @Test("the direct path is the carrier's address and the announced port; a new link sends CHANNELS and LINK_STATES")
    func link() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.open(1, from: Endpoint(address: peer.endpoint.address, port: 40_000))
        peer.hello(on: 1)
        let invite = try #require(stage.invites(on: 1).first)
        #expect(invite.attempt == 1 && invite.keys.generation == 1 && invite.nonceEcho == peer.nonce)
        try peer.agree(on: 1)
        #expect(stage.peer(peer)?.endpoint == peer.endpoint && stage.counter(.linksUp) == 1)
        let words = stage.messages(on: 1)
        #expect(words.contains { $0.advertisedChannels == [] } && words.contains { $0.advertisedLinks != nil })
        #expect(words.contains(.mediaKeyConfirm(generation: 1)))
        #expect(stage.remembered.map(\.node) == [peer.id])
        // The next block follows the heartbeat interval, and no longer the probe interval.
        stage.passAlmost(.milliseconds(375))
        #expect(stage.counter(.controlBlocksSent) == 0)
        stage.pass(.milliseconds(126))
        #expect(stage.counter(.controlBlocksSent) == 1)
    }

    @Test("an attempt without an answer fails after three seconds", arguments: LinkSide.allCases)
    func unanswered(_ side: LinkSide) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        if side == .follows {
            stage.input(.discovered(PeerHint(source: .avahi, node: peer.id, endpoints: [peer.endpoint])))
        }
        peer.greet(1)
        stage.passAlmost(.seconds(3))
        #expect(stage.state(peer) == (side == .leads ? .inviting : .awaitingInvite))
        stage.tick()
        #expect(stage.counter(.attemptsFailed) == 1 && stage.peer(peer)?.lastFailure == "no answer")
        #expect(stage.closed == [1] && stage.state(peer) == .down)
        // Only a follower asks neighbours to bring a connect request.
        #expect((stage.link(peer)?.nextConnectRequestAt != nil) == (side == .follows))
    }

    struct Pause: Sendable, CustomTestStringConvertible {
        let before: Interval
        let left: Interval
        var testDescription: String { "after \(before)" }
    }

    @Test(
        "after agreement the echo has at least a second, and never less than the three seconds of the attempt",
        arguments: [
            Pause(before: .milliseconds(100), left: .milliseconds(2_900)),
            Pause(before: .milliseconds(2_900), left: .seconds(1)),
        ], LinkSide.allCases)
    func echo(_ pause: Pause, _ side: LinkSide) throws {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        peer.isAnswering = false
        peer.greet(1)
        if side == .follows {
            stage.frame(.invite(peer.invitation(1, on: 1)), on: 1)
            stage.pass(pause.before)
            try peer.install(try #require(stage.accepts(on: 1).last))
            stage.frame(.mediaKeyConfirm(generation: 1), on: 1)
            // A repeated confirmation gives no further time.
            stage.frame(.mediaKeyConfirm(generation: 1), on: 1)
        } else {
            stage.pass(pause.before)
            try peer.agree(on: 1)
        }
        #expect(deadline(stage, peer) == pause.left)
        stage.passAlmost(pause.left)
        #expect(stage.counter(.attemptsFailed) == 0)
        stage.tick()
        #expect(stage.counter(.attemptsFailed) == 1)
    }

    @Test("agreed keys are probed at once and every 100 ms, and after 200 ms inside the carrier too")
    func probing() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.isAnswering = false
        peer.greet(1)
        let begin = stage.now
        try peer.agree(on: 1)
        stage.pass(.milliseconds(300))
        #expect(
            stage.outgoing.map { $0.at - begin } == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(peer.agreed?.bodies.count == 6)
    }

    // MARK: Messages that do not answer the invitation

    struct Acceptance: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var counter = MeshCounter.acceptsStale
        let change: @Sendable (inout Accept) -> Void
    }

    @Test(
        "an ACCEPT counts only as the answer to this INVITE over this connection",
        arguments: [
            Acceptance(testDescription: "another attempt") { $0.attempt += 1 },
            Acceptance(testDescription: "another connection") { $0.nonceEcho[0] ^= 1 },
            Acceptance(testDescription: "a degenerate public key", counter: .keyOffersStale) {
                $0.keys.ephemeralPublicKey = [UInt8](repeating: 0, count: 32)
            },
        ])
    func acceptance(_ one: Acceptance) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.greet(1)
        let good = try peer.acceptance(on: 1)
        var accept = good
        one.change(&accept)
        stage.frame(.accept(accept), on: 1)
        #expect(stage.counter(one.counter) == 1 && stage.counter(.acceptsStale) + stage.counter(.keyOffersStale) == 1)
        #expect(!stage.messages(on: 1).contains(.mediaKeyConfirm(generation: 1)))
        // Invalid keys in an otherwise valid ACCEPT end the carrier.
        #expect(stage.isClosed(1) == (one.counter == .keyOffersStale))
        guard !stage.isClosed(1) else { return #expect(stage.counter(.attemptsFailed) == 1) }
        peer.agreed?.media.startSending(generation: 1, now: stage.now)
        stage.frame(.accept(good), on: 1)
        #expect(stage.state(peer) == .up)
        stage.frame(.accept(good), on: 1)
        #expect(stage.counter(.acceptsStale) == 2)
    }

    @Test("an ACCEPT on the link's carrier does not answer an INVITE on another one, nor does an ACCEPT of a leader")
    func acceptElsewhere() throws {
        let stage = LinkStage()
        let (peer, leader) = (stage.puppet(.leads), stage.puppet(.follows))
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        peer.greet(2)
        var accept = try peer.acceptance(on: 2)
        accept.nonceEcho = try #require(stage.nonces[1])
        stage.frame(.accept(accept), on: 1)
        #expect(stage.counter(.acceptsStale) == 1)
        leader.greet(3)
        stage.frame(.accept(accept), on: 3)
        #expect(stage.counter(.acceptsStale) == 2)
    }

    struct Invitation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var side = LinkSide.follows
        var counter = MeshCounter.invitesStale
        let change: @Sendable (inout Invite) -> Void
    }

    @Test(
        "an INVITE counts only from the leader, over this connection, with keys of generation 1",
        arguments: [
            Invitation(testDescription: "a follower's", side: .leads) { _ in },
            Invitation(testDescription: "another connection") { $0.nonceEcho[0] ^= 1 },
            Invitation(testDescription: "later keys") { $0.keys.generation = 2 },
            Invitation(testDescription: "a degenerate public key", counter: .keyOffersStale) {
                $0.keys.ephemeralPublicKey = [UInt8](repeating: 0, count: 32)
            },
        ])
    func invitation(_ one: Invitation) {
        let stage = LinkStage()
        let peer = stage.puppet(one.side)
        peer.greet(1)
        var invite = peer.invitation(1, on: 1)
        one.change(&invite)
        stage.frame(.invite(invite), on: 1)
        #expect(stage.counter(one.counter) == 1 && stage.accepts(on: 1).isEmpty)
        #expect(stage.isClosed(1) == (one.counter == .keyOffersStale))
        #expect(stage.counter(.agreementsOverRate) == 0)
    }

    @Test("the attempt numbers of a boot must rise above the link's, and above those under negotiation")
    func attempts() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1, attempt: 5)
        peer.greet(2)
        func answers(_ attempt: UInt32) -> Bool {
            let before = stage.accepts(on: 2).count
            stage.frame(.invite(peer.invitation(attempt, on: 2)), on: 2)
            return stage.accepts(on: 2).count == before + 1
        }
        #expect([4, 5, 8, 8, 6, 9].map(answers) == [false, false, true, false, false, true])
        #expect(stage.counter(.invitesStale) == 4)
    }

    @Test("an INVITE on the carrier of an older boot is stale")
    func ghost() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.greet(1)
        let invite = peer.invitation(1, on: 1)
        (peer.instance, peer.boot) = (2, 99)
        peer.sendBeacon()
        stage.frame(.invite(invite), on: 1)
        #expect(stage.counter(.invitesStale) == 1 && stage.accepts(on: 1).isEmpty)
    }

    @Test("the node answers 32 invitations at once, then one each half second")
    func allowance() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.greet(1)
        for attempt in 1...33 as ClosedRange<UInt32> { stage.frame(.invite(peer.invitation(attempt, on: 1)), on: 1) }
        #expect(stage.accepts(on: 1).count == 32 && stage.counter(.agreementsOverRate) == 1)
        stage.pass(.milliseconds(500))
        for attempt in 34...35 as ClosedRange<UInt32> { stage.frame(.invite(peer.invitation(attempt, on: 1)), on: 1) }
        #expect(stage.accepts(on: 1).count == 33 && stage.counter(.agreementsOverRate) == 2)
    }

    // MARK: Several carriers

    @Test("a follower uses the latest carrier with a HELLO, until it has sent its keys")
    func latestCarrier() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.greet(1)
        stage.pass(.seconds(1))
        peer.greet(2)
        #expect(carrier(stage, peer) == 2 && deadline(stage, peer) == .seconds(3))
        stage.frame(.invite(peer.invitation(1, on: 2)), on: 2)
        stage.pass(.seconds(1))
        peer.greet(3)
        #expect(carrier(stage, peer) == 2 && deadline(stage, peer) == .seconds(2))
        #expect(stage.closed.isEmpty)
    }

    @Test("a follower whose user has not decided keeps waiting; a new policy admits the next carrier")
    func undecidedFollower() {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let peer = stage.puppet(.follows)
        peer.greet(1)
        stage.frame(.invite(peer.invitation(1, on: 1)), on: 1)
        peer.greet(2)
        #expect(stage.state(peer) == .awaitingDecision)
        stage.command(.setAdmissionPolicy(.open))
        peer.greet(3)
        #expect(stage.state(peer) == .awaitingInvite && carrier(stage, peer) == 3)
    }

    @Test("a leader that is inviting refuses a second carrier, and goes on with its attempt")
    func secondWhileInviting() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.greet(1)
        peer.greet(2)
        #expect(stage.refusal(on: 2) == LinkStage.Refusal(.alreadyLinked, 1_000) && stage.closed == [2])
        #expect(stage.counter(.alreadyLinked) == 1 && stage.counter(.attemptsFailed) == 0)
        #expect(carrier(stage, peer) == 1 && stage.peer(peer)?.lastFailure == nil)
        try peer.agree(on: 1)
        #expect(stage.state(peer) == .up)
    }

    enum Further: CaseIterable { case duplicateNode, late, ownDial, afterLoss, whileNegotiating }

    @Test("a leader takes a further carrier if the link's own carrier may be half open", arguments: Further.allCases)
    func further(_ further: Further) throws {
        let away = Endpoint(address: IPAddress(v4: 192, 168, 9, 9), port: 7400)
        let stage = LinkStage(staticPeers: further == .ownDial ? [away] : [])
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        switch further {
        case .duplicateNode:
            stage.jump(.seconds(2) - Interval(nanoseconds: 1))
            peer.greet(2)
        case .late:
            stage.jump(.seconds(2))
            peer.greet(2)
        case .ownDial:
            // A dial to an address that the user gave. The dial began before the link was up.
            stage.pass(.seconds(2))
            peer.greet(2, dial: try #require(stage.dials.first?.id))
        case .afterLoss:
            stage.close(1)
            peer.greet(2)
        case .whileNegotiating:
            stage.pass(.seconds(2))
            peer.greet(3)
            peer.greet(2)
        }
        let isTaken = further == .late || further == .afterLoss
        #expect(stage.invites(on: 2).count == (isTaken ? 1 : 0))
        #expect(stage.refusal(on: 2) == (isTaken ? nil : LinkStage.Refusal(.alreadyLinked, 1_000)))
        #expect(stage.counter(.alreadyLinked) == (isTaken ? 0 : 1))
        #expect(stage.state(peer) == .up)
    }
}
