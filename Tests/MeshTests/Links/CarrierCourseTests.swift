import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("The life of a carrier")
struct CarrierCourseTests {
    private static let away = Endpoint(address: IPAddress(v4: 192, 168, 9, 9), port: 40_000)

    private func hint(_ peer: LinkPuppet, _ endpoints: [Endpoint]? = nil) -> MeshInput {
        .discovered(PeerHint(source: .avahi, node: peer.id, endpoints: endpoints ?? [peer.endpoint]))
    }

    // MARK: Before HELLO

    @Test("a connection from outside the own networks is refused before HELLO; the node's own dial there is not")
    func offLink() {
        let stage = LinkStage(staticPeers: [Self.away])
        let peer = stage.puppet(.leads)
        let far = Endpoint(address: IPAddress(v4: 192, 168, 9, 8), port: 40_000)
        peer.open(1, from: far)
        #expect(stage.refusal(on: 1) == LinkStage.Refusal(.offLink, 30_000) && stage.closed == [1])
        #expect(stage.counter(.carriersOffLink) == 1 && stage.counter(.refusalsSent) == 1)
        #expect(stage.messages(on: 1).count == 1 && stage.peer(peer) == nil)
        stage.onDial = { dial, endpoint in peer.open(2, dial: dial, from: far) }
        stage.pass(.zero)
        #expect(stage.messages(on: 2).count == 2 && stage.refusal(on: 2) == nil)
        #expect(stage.counter(.carriersOffLink) == 1 && stage.state(peer) == .connecting)
    }

    @Test("the 65th peer is refused as full for half a minute, before HELLO")
    func full() {
        let stage = LinkStage()
        for place in 0..<64 { stage.puppet(.leads, place).greet(UInt64(1 + place)) }
        #expect(stage.counter(.peersTableFull) == 0)
        stage.puppet(.leads, 64).open(65)
        #expect(stage.refusal(on: 65) == LinkStage.Refusal(.full, 30_000) && stage.closed == [65])
        #expect(stage.counter(.peersTableFull) == 1 && stage.counter(.refusalsSent) == 1)
    }

    @Test("a dial that reaches this node itself blocks the address for a minute, and has no other effect")
    func toSelf() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        stage.onDial = { dial, endpoint in
            stage.input(.carrierOpened(CarrierID(number: 1), peer: stage.sealing.nodeID, dial: dial, remote: endpoint))
        }
        stage.input(hint(peer))
        #expect(stage.counter(.dialsToSelf) == 1 && stage.closed == [1] && stage.sent.isEmpty)
        #expect(stage.link(peer)?.addresses.entries.map(\.wrongUntil) == [stage.now + .seconds(60)])
    }

    @Test("a carrier in an unknown tunnel is closed")
    func unknownTunnel() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        stage.input(.tunnelledCarrierOpened(CarrierID(number: 1), peer: peer.id, TunnelID(number: 5)))
        #expect(stage.closed == [1] && stage.sent.isEmpty && stage.peer(peer) == nil)
    }

    @Test("a peer has at most four carriers; the fifth is closed without an answer")
    func fifth() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        for carrier: UInt64 in 1...5 { peer.open(carrier) }
        #expect((1...5).map { stage.messages(on: $0).count } == [2, 2, 2, 2, 0])
        #expect(stage.closed == [5] && stage.counter(.carriersOverLimit) == 1)
    }

    @Test("a connection ends a wait after failures once in two seconds; an earlier one gets the remaining wait")
    func coolingDown() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func failOn(_ carrier: UInt64) {
            peer.open(carrier)
            stage.frame(.leave, on: carrier)
        }
        failOn(1)
        // The first connection met no wait.
        #expect(stage.counter(.cooldownsCut) == 0 && stage.peer(peer)?.failures == 1)
        failOn(2)
        #expect(stage.counter(.cooldownsCut) == 1 && stage.peer(peer)?.failures == 2)
        stage.jump(.milliseconds(300))
        peer.open(3)
        #expect(stage.refusal(on: 3) == LinkStage.Refusal(.coolingDown, 1_700) && stage.closed == [1, 2, 3])
        #expect(stage.counter(.refusalsSent) == 1 && stage.counter(.cooldownsCut) == 1)
    }

    @Test("a connection at the instant when the wait is over cuts no wait short")
    func waitIsOver() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.open(1)
        stage.frame(.leave, on: 1)
        stage.jump(try #require(stage.wait(for: peer)))
        peer.open(2)
        #expect(stage.counter(.cooldownsCut) == 0 && stage.state(peer) == .connecting)
    }

    @Test("a wait that a refusal asked for is no cool-down: an incoming connection is accepted")
    func refusedIsNoCooldown() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.open(1)
        peer.hello(on: 1, mesh: "other")
        for carrier: UInt64 in 2...3 {
            peer.open(carrier)
            stage.close(carrier, .closed)
        }
        #expect(stage.counter(.cooldownsCut) == 0 && stage.counter(.refusalsSent) == 1)
        // The connections led to nothing, and the wait goes on unchanged.
        #expect(stage.wait(for: peer) == .seconds(30) && stage.counter(.attemptsFailed) == 0)
    }

    @Test("after five failures a peer is shown as quarantined, and a connection of the peer ends it")
    func quarantine() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        for carrier: UInt64 in 1...5 {
            stage.pass(.seconds(2))
            peer.open(carrier)
            stage.frame(.leave, on: carrier)
        }
        #expect(stage.state(peer) == .quarantined && stage.counter(.quarantines) == 1)
        let wait = try #require(stage.wait(for: peer))
        #expect(.seconds(4) <= wait && wait <= .seconds(8))
        #expect(stage.events.filter { $0 == .quarantined(peer.id, until: stage.now + wait) }.count == 1)
        let cuts = stage.counter(.cooldownsCut)
        stage.pass(.seconds(2))
        peer.open(6)
        #expect(stage.state(peer) == .connecting && stage.counter(.cooldownsCut) == cuts + 1)
    }

    @Test("a peer that goes on to fail is reported as quarantined once, and again if it fails after a link")
    func quarantineIsReportedOnce() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func fail(_ carrier: UInt64) {
            stage.pass(.seconds(2))
            peer.open(carrier)
            stage.frame(.leave, on: carrier)
        }
        func reports() -> Int {
            stage.events.count { if case .quarantined(peer.id, _) = $0 { true } else { false } }
        }
        for carrier: UInt64 in 1...8 { fail(carrier) }
        #expect(stage.counter(.quarantines) == 4 && reports() == 1)
        stage.pass(.seconds(2))
        try peer.link(on: 9)
        peer.isAnswering = false
        stage.close(9)
        stage.pass(.seconds(1))
        #expect(stage.peer(peer)?.failures == 9 && reports() == 1)
        fail(10)
        #expect(stage.peer(peer)?.failures == 10 && reports() == 2)
    }

    // MARK: Frames

    enum Fault: CaseIterable { case unknownKind, malformed, large }

    @Test(
        "before HELLO every faulty frame closes the carrier; later an unknown kind is counted and skipped",
        arguments: Fault.allCases)
    func faults(_ fault: Fault) throws {
        let bytes: [UInt8] =
            switch fault {
            case .unknownKind: [99, 1, 2]
            case .malformed: [2, 0xFF, 0xFF]
            // Zeros in an unknown protobuf field: dropped on a carrier that allows long frames.
            case .large: [11, 0x7A, 0x80, 0x10] + [UInt8](repeating: 0, count: 2_048)
            }
        let stage = LinkStage()
        let (silent, linked) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        silent.open(1)
        stage.bytes(bytes, on: 1)
        #expect(stage.counter(.framesMalformed) == 1 && stage.closed == [1])
        try linked.link(on: 2)
        stage.bytes(bytes, on: 2)
        #expect(stage.counter(.framesMalformed) == (fault == .large ? 1 : 2))
        #expect(stage.isClosed(2) == (fault == .malformed))
        stage.bytes(bytes, on: 77)
        #expect(stage.counter(.framesOfUnknownCarrier) == 1)
    }

    @Test("a second HELLO, or another frame before HELLO, closes the carrier")
    func unexpected() {
        let stage = LinkStage()
        let (first, second) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        first.greet(1)
        first.hello(on: 1)
        second.open(2)
        stage.frame(.refuse(.blocked, retryAfterMilliseconds: 1_000), on: 2)
        #expect(stage.counter(.framesUnexpected) == 2 && stage.closed == [1, 2])
        #expect(stage.counter(.refusalsReceived) == 0 && stage.counter(.attemptsFailed) == 2)
    }

    struct No: Sendable, CustomTestStringConvertible {
        let isGreeted: Bool
        let milliseconds: UInt32
        let wait: Interval
        var testDescription: String { "\(isGreeted ? "after" : "before") HELLO, \(milliseconds) ms" }
    }

    @Test(
        "a REFUSE holds for the time that it names, at most 30 s before HELLO and five minutes later",
        arguments: [
            No(isGreeted: false, milliseconds: 4_000, wait: .seconds(4)),
            No(isGreeted: false, milliseconds: 300_000, wait: .seconds(30)),
            No(isGreeted: true, milliseconds: 40_000, wait: .seconds(40)),
            No(isGreeted: true, milliseconds: 900_000, wait: .seconds(300)),
        ])
    func refuse(_ no: No) {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.open(1)
        if no.isGreeted { peer.hello(on: 1) }
        stage.frame(.refuse(.full, retryAfterMilliseconds: no.milliseconds), on: 1)
        #expect(stage.wait(for: peer) == no.wait && stage.closed == [1])
        #expect(stage.counter(.refusalsReceived) == 1 && stage.counter(.attemptsFailed) == 0)
        #expect(stage.events == [.refused(peer.id, .full)] && stage.peer(peer)?.lastFailure == "refused: full")
    }

    @Test(
        "a carrier without PROOF is closed after three seconds, one without HELLO after five; the attempt has failed",
        arguments: [false, true])
    func silent(_ hasProof: Bool) {
        let waitMax = Interval.seconds(hasProof ? 5 : 3)
        let stage = LinkStage(admissionPolicy: .ask(known: []))
        let (peer, guest) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        peer.open(1)
        if hasProof { peer.prove(on: 1) }
        guest.greet(2)
        stage.pass(.seconds(1))
        guest.open(3)
        if hasProof { guest.prove(on: 3) }
        stage.passAlmost(waitMax - .seconds(1))
        #expect(stage.closed.isEmpty)
        stage.tick()
        #expect(stage.closed == [1] && stage.counter(.attemptsFailed) == 1)
        #expect(stage.peer(peer)?.lastFailure == (hasProof ? "no hello" : "no proof"))
        stage.passAlmost(.seconds(1))
        #expect(stage.closed == [1])
        stage.tick()
        // The other guest waits for the user's decision; only its second carrier, which is silent, is closed.
        #expect(stage.closed == [1, 3] && stage.counter(.attemptsFailed) == 1)
        #expect(stage.state(guest) == .awaitingDecision)
    }

    // MARK: The end of a carrier

    @Test("the attempt fails at once when the carrier of its invitation closes, and not when another one closes")
    func closedWhileInviting() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.greet(1)
        peer.open(2)
        stage.close(2)
        #expect(stage.state(peer) == .inviting && stage.counter(.attemptsFailed) == 0)
        stage.close(1, .timedOut)
        #expect(stage.state(peer) == .down && stage.counter(.attemptsFailed) == 1)
        #expect(stage.peer(peer)?.lastFailure == "carrier timedOut")
    }

    @Test("agreed keys outlive their carrier: a path may still bring the echo until the deadline")
    func closedAfterAgreement() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        peer.isAnswering = false
        peer.greet(1)
        try peer.agree(on: 1)
        stage.close(1)
        #expect(stage.state(peer) == .inviting && stage.counter(.attemptsFailed) == 0)
        stage.pass(.seconds(1))
        peer.isAnswering = true
        stage.pass(.milliseconds(100))
        #expect(stage.state(peer) == .up && stage.peer(peer)?.hasCarrier == false)
        // A link without a carrier dials for one at once.
        #expect(stage.dials.map(\.endpoint) == [peer.endpoint])
    }

    @Test("the attempt fails when the last carrier without a HELLO closes")
    func closedAtTheDoor() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        stage.input(hint(peer))
        stage.input(.dialFailed(stage.dials[0].id, .refused))
        #expect(stage.counter(.attemptsFailed) == 1)
        stage.pass(.milliseconds(500))
        // A dial is under way, so a visitor that closes again does not end the attempt.
        peer.open(1)
        stage.close(1)
        #expect(stage.state(peer) == .connecting && stage.counter(.attemptsFailed) == 1)
        peer.open(2)
        peer.open(3)
        stage.input(.dialFailed(stage.dials[1].id, .refused))
        stage.close(2)
        #expect(stage.state(peer) == .connecting && stage.counter(.attemptsFailed) == 1)
        stage.close(3)
        #expect(stage.state(peer) == .down && stage.counter(.attemptsFailed) == 2)
    }

    @Test("a visitor that closes before HELLO does not change the wait: no failure, no new time")
    func interruptedWait() {
        let stage = LinkStage(staticPeers: [Self.away])
        let (visitor, found) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        visitor.open(1)
        stage.close(1, .closed)
        #expect(stage.state(visitor) == .down && stage.wait(for: visitor) == nil)
        #expect(stage.counter(.attemptsFailed) == 0)
        // A carrier of the node's own dial, to an address that the user gave, is no visit, so its close is a failure.
        stage.onDial = { dial, endpoint in found.open(2, dial: dial, from: endpoint) }
        stage.pass(.zero)
        stage.close(2, .closed)
        #expect(stage.counter(.attemptsFailed) == 1 && stage.peer(found)?.failures == 1)
        #expect(stage.peer(found)?.lastFailure == "carrier closed")
    }

    /// A node with one link, on carrier 1. The peer gets no UDP, so the path inside the carrier is the only one.
    private static func upOverCarrier() throws -> (LinkStage, LinkPuppet) {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.hasUDP = false
        peer.greet(1)
        try peer.agree(on: 1)
        stage.pass(.milliseconds(300))
        try #require(stage.state(peer) == .up && stage.peer(peer)?.path == .carrier)
        try #require(carrierEcho(of: peer, at: stage) != nil)
        return (stage, peer)
    }

    /// When the path inside the carrier was last echoed; nil if it was not, or is forgotten.
    private static func carrierEcho(of peer: LinkPuppet, at stage: LinkStage) -> Instant? {
        stage.link(peer)?.paths.first { $0.kind == .carrier }?.echoedAt
    }

    @Test("a link whose carrier closes is verified at once, and forgets the path inside the carrier")
    func closedWhileUp() throws {
        let (stage, peer) = try Self.upOverCarrier()
        stage.close(1)
        #expect(stage.state(peer) == .verifying && Self.carrierEcho(of: peer, at: stage) == nil)
        #expect(stage.events.contains(.peerVerifying(PeerSlot(index: 0), peer.id)))
        #expect(stage.peer(peer)?.hasCarrier == false)
    }

    @Test("a link whose carrier is refused stays up, and forgets the path inside the carrier")
    func refusedWhileUp() throws {
        let (stage, peer) = try Self.upOverCarrier()
        stage.frame(.refuse(.coolingDown, retryAfterMilliseconds: 1_000), on: 1)
        #expect(stage.isClosed(1) && stage.state(peer) == .up && stage.peer(peer)?.hasCarrier == false)
        #expect(Self.carrierEcho(of: peer, at: stage) == nil)
        #expect(stage.link(peer)?.renewal == .due(at: stage.now + .seconds(1)))
    }
}
