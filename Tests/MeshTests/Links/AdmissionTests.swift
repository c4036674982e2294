import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Admission of peers")
struct AdmissionTests {
    struct Stranger: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let reason: RefusalReason
        let seconds: Int64
        let isReported: Bool
        let hello: @Sendable (LinkPuppet) -> Void
    }

    private static let strangers = [
        Stranger(testDescription: "of another mesh", reason: .otherMesh, seconds: 30, isReported: true) {
            $0.hello(on: 1, mesh: "other")
        },
        Stranger(testDescription: "of another mesh of this name", reason: .otherMesh, seconds: 30, isReported: true) {
            $0.hello(on: 1, meshID: MeshID(high: 1, low: 2))
        },
        Stranger(testDescription: "of a later version", reason: .version, seconds: 30, isReported: true) {
            $0.hello(on: 1, versionMin: WireLimits.version + 1)
        },
        Stranger(testDescription: "blocked", reason: .blocked, seconds: 300, isReported: false) {
            $0.stage.command(.block($0.id))
            $0.hello(on: 1)
        },
    ]

    @Test("a mesh is known by its id, whatever its name")
    func renamed() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.open(1)
        peer.hello(on: 1, mesh: "other", meshID: TestMesh.id)
        #expect(stage.refusal(on: 1) == nil && stage.invites(on: 1).count == 1)
    }

    @Test(
        "a refusal names its reason and its time, closes the carrier, and is no failure",
        arguments: strangers.dropLast(),
        LinkSide.allCases)
    func refused(_ stranger: Stranger, _ side: LinkSide) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        peer.open(1)
        stranger.hello(peer)
        let milliseconds = side == .leads ? UInt32(stranger.seconds * 1_000) : nil
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(stranger.reason, milliseconds))
        #expect(stage.closed == [1] && stage.counter(.refusalsSent) == 1 && stage.counter(.attemptsFailed) == 0)
        #expect(stage.events == [.refused(peer.id, stranger.reason)])
        #expect(stage.wait(for: peer) == .seconds(stranger.seconds))
        #expect(stage.peer(peer)?.lastFailure == "refused: \(stranger.reason)")
        // The node does not want this peer: when the wait is over, the attempt ends.
        stage.pass(.seconds(stranger.seconds))
        #expect(stage.state(peer) == .down && stage.wait(for: peer) == nil && stage.dials.isEmpty)
    }

    @Test(
        "a blocked peer is refused for five minutes; no event is reported, and no next attempt shown",
        arguments: LinkSide.allCases)
    func blocked(_ side: LinkSide) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        stage.command(.block(peer.id))
        peer.greet(1)
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.blocked, side == .leads ? 300_000 : nil))
        #expect(stage.link(peer)?.state == .down(dialAt: stage.now + .seconds(300)))
        #expect(stage.events.isEmpty && stage.state(peer) == .down && stage.wait(for: peer) == nil)
    }

    struct Forgery: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let hello: @Sendable (LinkPuppet) -> Void
    }

    private static let forgeries = [
        Forgery(testDescription: "record of another peer") {
            $0.hello(on: 1, record: $0.stage.puppet($0.side, 1).record())
        },
        Forgery(testDescription: "bad signature") {
            var record = $0.record()
            record.signature[0] ^= 1
            $0.hello(on: 1, record: record)
        },
        Forgery(testDescription: "nonce of another boot") { $0.hello(on: 1, boot: 77) },
        Forgery(testDescription: "record of a leaving peer") { $0.hello(on: 1, record: $0.record(isLeaving: true)) },
    ]

    @Test(
        "a HELLO that does not belong to its sender is counted, and its carrier is closed without an answer",
        arguments: forgeries)
    func forged(_ forgery: Forgery) {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.open(1)
        let said = stage.sent.count
        forgery.hello(peer)
        #expect(stage.counter(.hellosForged) == 1 && stage.counter(.refusalsSent) == 0)
        #expect(stage.closed == [1] && stage.sent.count == said)
        #expect(stage.counter(.attemptsFailed) == 1 && stage.peer(peer)?.lastFailure == "no answer")
    }

    // MARK: Ghosts

    enum Word: CaseIterable { case before, after }

    @Test(
        "a lower instance gets a long refusal only if the node's own HELLO has shown the higher one",
        arguments: Word.allCases)
    func ghost(_ word: Word) {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        let ghost = stage.puppet(.leads)
        (peer.instance, peer.boot) = (5, 500)
        ghost.instance = 4
        if word == .before { peer.sendBeacon() }
        ghost.open(1)
        if word == .after { peer.sendBeacon() }
        ghost.hello(on: 1)
        let refusal = word == .before ? LinkStage.Refusal(.staleInstance, 30_000) : .init(.coolingDown, 1_000)
        #expect(stage.refusal(on: 1) == refusal)
        #expect(stage.counter(.ghostHellos) == 1)
        #expect(stage.events == [.ghostDropped(peer.id, Instance(exactly: 4)!)])
        // The highest instance seen is no ghost.
        peer.greet(2)
        #expect(stage.counter(.ghostHellos) == 1 && stage.invites(on: 2).count == 1)
    }

    @Test("beside a link, a lower instance is a boot that has not advanced yet, or a duplicate")
    func ghostOfLinked() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.instance = 5
        peer.sendBeacon()
        peer.instance = 1
        peer.greet(2)
        #expect(stage.refusal(on: 2) == LinkStage.Refusal(.staleInstance, 1_000))
        #expect(stage.counter(.duplicateIdentities) == 0)
        peer.boot = 99
        peer.greet(3)
        #expect(stage.refusal(on: 3) == LinkStage.Refusal(.duplicateIdentity, 5_000))
        #expect(stage.counter(.duplicateIdentities) == 1 && stage.events.contains(.duplicateIdentity(peer.id)))
        peer.isAnswering = false
        stage.pass(.milliseconds(1_100))
        #expect(stage.state(peer) == .verifying)
        peer.greet(4)
        #expect(stage.refusal(on: 4) == LinkStage.Refusal(.coolingDown, 1_000))
        #expect(stage.counter(.ghostHellos) == 3 && stage.counter(.duplicateIdentities) == 1)
    }

    // MARK: Duplicates

    @Test("a second boot waits 600 ms for a sign of life of the first, and is then refused as a duplicate")
    func duplicateNode() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.pass(.seconds(1))
        let duplicateNode = stage.puppet(.leads)
        (duplicateNode.instance, duplicateNode.boot) = (2, 99)
        duplicateNode.greet(2)
        #expect(stage.refusal(on: 2) == LinkStage.Refusal(.coolingDown, 600))
        #expect(stage.events.count { $0 == .peerVerifying(PeerSlot(index: 0), peer.id) } == 1)
        #expect(stage.state(peer) == .up)
        // The probe itself was echoed, but only the echo of a later block counts.
        duplicateNode.greet(3)
        #expect(stage.refusal(on: 3) == LinkStage.Refusal(.coolingDown, 600))
        stage.pass(.milliseconds(600))
        duplicateNode.greet(4)
        #expect(stage.refusal(on: 4) == LinkStage.Refusal(.duplicateIdentity, 5_000))
        #expect(stage.counter(.duplicateIdentities) == 1)
        #expect(stage.events.filter { $0 == .duplicateIdentity(peer.id) }.count == 1)
        // The node has yet to compare a third boot with the first one.
        duplicateNode.boot = 100
        duplicateNode.greet(5)
        #expect(stage.refusal(on: 5) == LinkStage.Refusal(.coolingDown, 600))
        #expect(stage.counter(.linksDown) == 0 && stage.counter(.attemptsFailed) == 0)
    }

    struct Successor: Sendable, CustomTestStringConvertible {
        let instance: UInt64
        let isCarrierClosed: Bool
        let isAdmitted: Bool
        var testDescription: String { "instance \(instance), carrier closed: \(isCarrierClosed)" }
    }

    @Test(
        "while a link is verified, a later boot is admitted only if the former boot's carrier has closed",
        arguments: [
            Successor(instance: 2, isCarrierClosed: true, isAdmitted: true),
            Successor(instance: 1, isCarrierClosed: true, isAdmitted: false),
            Successor(instance: 2, isCarrierClosed: false, isAdmitted: false),
        ])
    func successor(_ one: Successor) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        if one.isCarrierClosed { stage.close(1) } else { stage.pass(.milliseconds(1_100)) }
        #expect(stage.state(peer) == .verifying)
        let next = stage.puppet(.leads)
        (next.instance, next.boot) = (one.instance, 99)
        next.greet(2)
        #expect(stage.invites(on: 2).count == (one.isAdmitted ? 1 : 0))
        #expect(stage.refusal(on: 2) == (one.isAdmitted ? nil : LinkStage.Refusal(.coolingDown, 600)))
        let down = MeshEvent.peerDown(PeerSlot(index: 0), peer.id, Instance(exactly: 1)!, .newerInstance)
        #expect(stage.events.contains(down) == one.isAdmitted)
    }

    // MARK: Decisions of people

    @Test(
        "a rejection by the user refuses the peer for five minutes, and later attempts without a question",
        arguments: LinkSide.allCases)
    func personSaysNo(_ side: LinkSide) throws {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let peer = stage.puppet(side)
        peer.greet(1)
        if side == .follows { stage.frame(.invite(peer.invitation(1, on: 1)), on: 1) }
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.undecided, side == .leads ? 30_000 : nil))
        #expect(stage.events == [.admissionAsked(peer.id, name: SafeText("p"))])
        #expect(stage.state(peer) == .awaitingDecision && stage.wait(for: peer) == nil && stage.closed.isEmpty)
        stage.command(.decideAdmission(peer.id, isAccepted: false))
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.notAllowed, side == .leads ? 300_000 : nil))
        #expect(stage.closed == [1] && stage.state(peer) == .down && stage.wait(for: peer) == nil)
        peer.greet(2)
        if side == .follows { stage.frame(.invite(peer.invitation(2, on: 2)), on: 2) }
        #expect(stage.refusal(on: 2) == LinkStage.Refusal(.notAllowed, side == .leads ? 30_000 : nil))
        #expect(stage.closed == [1, 2] && stage.events.count == 1)
        #expect(stage.wait(for: peer) == .seconds(30) && stage.counter(.attemptsFailed) == 0)
    }

    @Test("a suspected peer that waits for the user's decision is not declared dead, and its carrier stays open")
    func suspectAsks() {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let peer = stage.puppet(.leads)
        peer.sendBeacon()
        stage.input(.dialFailed(stage.dials[0].id, .refused))
        #expect(stage.peer(peer)?.presence.suspicion?.cause == .indirect)
        peer.greet(1)
        stage.pass(.seconds(40))
        #expect(stage.peer(peer)?.presence == .unmet && stage.state(peer) == .awaitingDecision)
        #expect(stage.closed.isEmpty)
        stage.command(.decideAdmission(peer.id, isAccepted: true))
        #expect(stage.invites(on: 1).count == 1)
    }

    @Test("a suspected peer whose user has to decide is not declared dead, and is dialled after the wait")
    func suspectIsUndecided() {
        let stage = LinkStage(suspicion: .plain(.seconds(4)))
        let peer = stage.puppet(.follows)
        stage.refuseDials()
        peer.sendBeacon()
        // The beacon has cut the wait of a follower, and a carrier may do so only 2 s later.
        stage.pass(.seconds(3))
        #expect(stage.peer(peer)?.presence.suspicion?.cause == .indirect)
        stage.onDial = { _, _ in }
        peer.greet(1)
        stage.frame(.refuse(.undecided, retryAfterMilliseconds: 30_000), on: 1)
        let count = stage.dials.count
        stage.passAlmost(.seconds(30))
        #expect(stage.peer(peer)?.presence == .unmet && stage.state(peer) == .awaitingDecision)
        #expect(stage.closed.isEmpty && stage.dials.count == count)
        stage.tick()
        #expect(stage.dials.count == count + 1)
    }

    @Test("a block answers the user's question: after it the peer asks anew, with an event")
    func blockedWhileAsking() {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let peer = stage.puppet(.leads)
        peer.greet(1)
        let since = stage.now
        #expect(stage.peer(peer)?.request?.since == since)
        stage.pass(.seconds(1))
        stage.command(.block(peer.id))
        stage.command(.unblock(peer.id))
        #expect(stage.peer(peer)?.request == nil)
        peer.greet(2)
        #expect(stage.peer(peer)?.request?.since == since + .seconds(1))
        #expect(stage.events.count { $0 == .admissionAsked(peer.id, name: SafeText("p")) } == 2)
    }

    @Test(
        "a policy that forbids a waiting peer refuses it at once; one that still asks leaves it alone",
        arguments: LinkSide.allCases)
    func forbiddenWhileAsking(_ side: LinkSide) {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let peer = stage.puppet(side)
        peer.greet(1)
        if side == .follows { stage.frame(.invite(peer.invitation(1, on: 1)), on: 1) }
        stage.command(.setAdmissionPolicy(.ask(known: [stage.puppet(side, 1).id])))
        #expect(stage.state(peer) == .awaitingDecision && stage.closed.isEmpty && stage.events.count == 1)
        stage.command(.setAdmissionPolicy(.allowList([])))
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.notAllowed, side == .leads ? 30_000 : nil))
        #expect(stage.closed == [1] && stage.state(peer) == .down && stage.wait(for: peer) == nil)
        #expect(stage.peer(peer)?.request == nil)
    }

    @Test("when the user accepts, a leader invites on the open carrier at once, and a follower dials")
    func personSaysYes() throws {
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let (led, leader) = (stage.puppet(.leads), stage.puppet(.follows))
        led.greet(1)
        stage.command(.decideAdmission(led.id, isAccepted: true))
        #expect(stage.invites(on: 1).count == 1 && stage.dials.isEmpty)
        leader.greet(2)
        stage.frame(.invite(leader.invitation(1, on: 2)), on: 2)
        stage.command(.decideAdmission(leader.id, isAccepted: true))
        stage.pass(.zero)
        #expect(stage.closed == [2] && stage.dials.map(\.endpoint) == [leader.endpoint])
        // Both peers are known from now on: the user is not asked again.
        leader.greet(3)
        stage.frame(.invite(leader.invitation(2, on: 3)), on: 3)
        #expect(stage.accepts(on: 3).count == 1)
        #expect(stage.events.count { if case .admissionAsked = $0 { true } else { false } } == 2)
    }
}
