import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Waits and attempts")
struct WaitTests {
    private func hint(_ peer: LinkPuppet, _ endpoints: [Endpoint]? = nil) -> MeshInput {
        .discovered(PeerHint(source: .avahi, node: peer.id, endpoints: endpoints ?? [peer.endpoint]))
    }

    // MARK: After refusals

    struct Row: Sendable, CustomTestStringConvertible {
        let reason: RefusalReason
        let milliseconds: [Int64]
        var testDescription: String { "\(reason)" }
    }

    private static let rows = [
        Row(
            reason: .coolingDown, milliseconds: [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]),
        Row(reason: .alreadyLinked, milliseconds: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]),
        Row(reason: .duplicateIdentity, milliseconds: [5_000, 8_000, 8_000]),
        Row(reason: .undecided, milliseconds: [250, 500, 1_000]),
    ]

    /// The waits after consecutive refusals that name no time.
    private func waits(_ stage: LinkStage, _ peer: LinkPuppet, _ row: Row, from first: UInt64) -> [Int64] {
        row.milliseconds.indices.map { place in
            let carrier = first + UInt64(place)
            peer.greet(carrier)
            stage.frame(.refuse(row.reason, retryAfterMilliseconds: 0), on: carrier)
            let wait = stage.wait(for: peer) ?? .zero
            stage.pass(wait)
            return wait.milliseconds
        }
    }

    @Test(
        "each further refusal makes the wait longer, up to a maximum, and a link resets it", arguments: rows)
    func refusals(_ row: Row) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        #expect(waits(stage, peer, row, from: 1) == row.milliseconds)
        #expect(stage.counter(.refusalsReceived) == row.milliseconds.count && stage.counter(.attemptsFailed) == 0)
        let lastFailure = row.reason == .alreadyLinked ? nil : "refused: \(row.reason)"
        #expect(stage.peer(peer)?.lastFailure == lastFailure)
        let isReported = row.reason != .alreadyLinked && row.reason != .duplicateIdentity
        #expect(stage.events.count { $0 == .refused(peer.id, row.reason) } == (isReported ? row.milliseconds.count : 0))
        try peer.link(on: 100)
        stage.frame(.leave, on: 100)
        peer.recordSequence = 2
        #expect(waits(stage, peer, row, from: 200).prefix(2) == row.milliseconds.prefix(2))
    }

    @Test("a refusal as a duplicate is reported about the node's own identity")
    func duplicateHeard() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.greet(1)
        stage.frame(.refuse(.duplicateIdentity, retryAfterMilliseconds: 0), on: 1)
        #expect(stage.counter(.duplicateIdentities) == 1)
        #expect(stage.events == [.duplicateIdentity(stage.sealing.nodeID)])
    }

    @Test("an undecided peer keeps the carrier of its negotiation open, and stays wanted for ten minutes")
    func undecided() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.open(2)
        peer.greet(1)
        stage.frame(.invite(peer.invitation(1, on: 1)), on: 1)
        stage.frame(.refuse(.undecided, retryAfterMilliseconds: 30_000), on: 1)
        #expect(stage.closed == [2] && stage.wait(for: peer) == .seconds(30))
        #expect(stage.state(peer) == .awaitingDecision)
        #expect(stage.link(peer)?.wantedUntil == stage.now + .seconds(600))
        stage.onDial = { dial, _ in peer.greet(9, dial: dial) }
        stage.passAlmost(.seconds(30))
        #expect(stage.dials.isEmpty)
        stage.tick()
        #expect(stage.dials.count == 1 && stage.state(peer) == .awaitingInvite)
    }

    @Test(
        "if only the undecided peer can dial, its carrier stays open, and the node's own dials count as no failure",
        arguments: [false, true])
    func undecidedAndUnreachable(_ hasAddress: Bool) {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.isNowhere = !hasAddress
        stage.refuseDials()
        peer.greet(1)
        stage.frame(.refuse(.undecided, retryAfterMilliseconds: 30_000), on: 1)
        stage.pass(.seconds(40))
        #expect(stage.dials.count == (hasAddress ? 1 : 0) && stage.closed.isEmpty)
        #expect(stage.state(peer) == .awaitingDecision && stage.peer(peer)?.presence == .unmet)
        #expect(stage.counter(.attemptsFailed) == 0 && stage.peer(peer)?.lastFailure == "refused: undecided")
        stage.command(.compareWords(PeerSlot(index: 0)))
        let hasCompared = stage.messages(on: 1).contains { if case .words = $0 { true } else { false } }
        #expect(hasCompared)
    }

    @Test("a refusal on an incoming carrier does not shorten a longer wait")
    func visitRefused() {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.greet(1)
        stage.frame(.refuse(.full, retryAfterMilliseconds: 30_000), on: 1)
        stage.pass(.seconds(1))
        peer.open(2)
        stage.frame(.refuse(.coolingDown, retryAfterMilliseconds: 1_000), on: 2)
        #expect(stage.wait(for: peer) == .seconds(29))
        peer.open(3)
        stage.frame(.refuse(.coolingDown, retryAfterMilliseconds: 30_000), on: 3)
        #expect(stage.wait(for: peer) == .seconds(30))
    }

    @Test("if one of two carriers is refused, a follower goes on with the other, and a leader waits")
    func oneOfTwo() {
        let stage = LinkStage()
        let (leader, follower) = (stage.puppet(.follows), stage.puppet(.leads))
        leader.greet(1)
        leader.greet(2)
        stage.pass(.seconds(1))
        stage.frame(.refuse(.alreadyLinked, retryAfterMilliseconds: 0), on: 2)
        #expect(
            stage.link(leader)?.state
                == .awaitingInvite(
                    LinkNegotiation(carrier: CarrierID(number: 1), deadline: stage.now + .seconds(3))))
        leader.open(3)
        stage.frame(.refuse(.full, retryAfterMilliseconds: 0), on: 3)
        #expect(stage.state(leader) == .awaitingInvite && stage.isClosed(3))
        stage.frame(.refuse(.notAllowed, retryAfterMilliseconds: 7_000), on: 1)
        #expect(stage.wait(for: leader) == .seconds(7))
        follower.greet(4)
        follower.open(5)
        stage.frame(.decline(.coolingDown), on: 4)
        #expect(stage.wait(for: follower) == .seconds(1))
    }

    struct End: Sendable, CustomTestStringConvertible {
        let reason: RefusalReason
        let isOver: Bool
        var testDescription: String { "\(reason)" }
    }

    @Test(
        "of refusals on a link's carrier, only those by a person end the link",
        arguments: [
            End(reason: .blocked, isOver: true), End(reason: .notAllowed, isOver: true),
            End(reason: .full, isOver: false), End(reason: .coolingDown, isOver: false),
        ])
    func refusedLink(_ end: End) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        peer.open(2)
        stage.frame(.refuse(.full, retryAfterMilliseconds: 0), on: 2)
        #expect(stage.state(peer) == .up && stage.peer(peer)?.hasCarrier == true)
        #expect(stage.link(peer)?.renewal == CarrierRenewal.none)
        stage.frame(.refuse(end.reason, retryAfterMilliseconds: 9_000), on: 1)
        let down = MeshEvent.peerDown(PeerSlot(index: 0), peer.id, Instance(exactly: 1)!, .declined)
        #expect(stage.events.contains(down) == end.isOver)
        if end.isOver {
            #expect(stage.wait(for: peer) == .seconds(9) && stage.peer(peer)?.presence == .unmet)
        } else {
            #expect(stage.state(peer) == .up && stage.peer(peer)?.hasCarrier == false)
            #expect(stage.link(peer)?.renewal == .due(at: stage.now + .seconds(9)))
        }
    }

    @Test("refusals beside a link are not counted: each renewal waits as long as the first")
    func refusedRenewals() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        stage.close(1)
        for carrier: UInt64 in 2...4 {
            peer.greet(carrier)
            stage.frame(.refuse(.coolingDown, retryAfterMilliseconds: 0), on: carrier)
            #expect(stage.link(peer)?.renewal == .due(at: stage.now + .milliseconds(250)))
        }
        peer.greet(8)
        peer.greet(9)
        let negotiating = stage.link(peer)?.renewal
        #expect(negotiating?.negotiation?.carrier.number == 8)
        stage.frame(.refuse(.alreadyLinked, retryAfterMilliseconds: 0), on: 9)
        #expect(stage.link(peer)?.renewal == negotiating)
        #expect(stage.counter(.attemptsFailed) == 0)
    }

    @Test("after a lost link a refusal may extend the wait, and never shortens it", arguments: [0, 10_000] as [UInt32])
    func refusedWhileDown(_ milliseconds: UInt32) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        let wait = try #require(stage.wait(for: peer))
        stage.frame(.refuse(.full, retryAfterMilliseconds: milliseconds), on: 1)
        #expect(stage.wait(for: peer) == (milliseconds == 0 ? wait : .seconds(10)))
    }

    // MARK: Attempts

    @Test("a hint keeps a peer wanted for ten minutes, and no dial follows later")
    func tenMinutes() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        var carrier: UInt64 = 0
        stage.onDial = { dial, _ in
            carrier += 1
            peer.open(carrier, dial: dial)
            stage.frame(.refuse(.full, retryAfterMilliseconds: 30_000), on: carrier)
        }
        stage.input(hint(peer))
        let begin = stage.now
        stage.pass(.seconds(700))
        #expect(stage.dials.map { ($0.at - begin).milliseconds } == (0..<20).map { $0 * 30_000 })
        #expect(stage.wait(for: peer) == nil && stage.state(peer) == .down)
    }

    @Test("a record makes its subject wanted, and a block ends that")
    func giveUp() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.sendBeacon()
        #expect(stage.dials.count == 1)
        stage.input(.dialFailed(stage.dials[0].id, .refused))
        #expect(stage.peer(peer)?.lastFailure == "dial: refused" && stage.counter(.attemptsFailed) == 1)
        stage.pass(.milliseconds(500))
        #expect(stage.dials.count == 2)
        stage.input(.dialFailed(stage.dials[1].id, .refused))
        stage.command(.block(peer.id))
        stage.pass(.seconds(60))
        #expect(stage.dials.count == 2 && stage.wait(for: peer) == nil && stage.counter(.attemptsFailed) == 2)
    }

    @Test("an attempt without an address fails at once, and waits as after any failure")
    func noAddress() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        stage.input(hint(peer, []))
        #expect(stage.peer(peer)?.lastFailure == "no address" && stage.counter(.attemptsFailed) == 1)
        let wait = try #require(stage.wait(for: peer))
        #expect(.milliseconds(250) <= wait && wait <= .milliseconds(500) && stage.dials.isEmpty)
        // The peer is known only by a hint, so it is not suspected before a record of it comes.
        #expect(stage.peer(peer)?.presence == .unmet)
    }

    @Test("a peer that is known only by its record and cannot be reached is suspected indirectly, and not counted")
    func indirect() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.sendBeacon()
        stage.input(.dialFailed(stage.dials[0].id, .refused))
        #expect(stage.peer(peer)?.presence.suspicion?.cause == .indirect)
        #expect(stage.counter(.suspicions) == 0 && stage.events.isEmpty)
    }

    @Test("without a network an attempt counts no failure, and the next one follows after exactly five seconds")
    func offline() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        stage.input(hint(peer))
        stage.input(.addressesChanged([]))
        stage.input(.dialFailed(stage.dials[0].id, .unreachable))
        #expect(stage.wait(for: peer) == .seconds(5) && stage.peer(peer)?.failures == 0)
    }

    @Test("a dead peer that is blocked and unblocked, and cannot be reached, is suspected, dies again and is retried")
    func unblockedWhenDead() {
        let stage = LinkStage(suspicion: .plain(.seconds(1)))
        let peer = stage.puppet(.leads)
        stage.refuseDials()
        peer.sendBeacon()
        stage.pass(.seconds(3))
        #expect(stage.peer(peer)?.presence.isDead == true)
        stage.command(.block(peer.id))
        stage.command(.unblock(peer.id))
        #expect(stage.peer(peer)?.presence.suspicion?.cause == .indirect)
        stage.pass(.seconds(1))
        #expect(stage.peer(peer)?.presence.isDead == true)
        let retried = stage.counter(.deadRetried)
        stage.pass(.seconds(60))
        #expect(retried < stage.counter(.deadRetried))
    }
}
