import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("A session takes over, goes down, comes up and ends")
struct TakeoverTests {
    private func ups(_ stage: LinkStage) -> Int {
        stage.events.count { if case .peerUp = $0 { true } else { false } }
    }

    private func downs(_ stage: LinkStage) -> [DownReason] {
        stage.events.compactMap { if case .peerDown(_, _, _, let reason) = $0 { reason } else { nil } }
    }

    /// A link, and two seconds later a second session on carrier 2.
    private func renewed(_ side: LinkSide) throws -> (LinkStage, LinkPuppet) {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        peer.greet(2)
        try peer.agree(on: 2, attempt: 2)
        return (stage, peer)
    }

    // MARK: Make before break

    @Test(
        "a renewal is not reported: there is one link, and the former carrier is closed", arguments: LinkSide.allCases)
    func renewal(_ side: LinkSide) throws {
        let (stage, peer) = try renewed(side)
        #expect(stage.peer(peer)?.link?.attempt == 2)
        #expect(stage.counter(.sessionsReplaced) == 1 && stage.counter(.linksUp) == 1)
        #expect(ups(stage) == 1 && downs(stage).isEmpty && stage.closed == [1])
        #expect(stage.link(peer)?.renewal == CarrierRenewal.none && stage.peer(peer)?.hasCarrier == true)
        #expect(stage.messages(on: 2).contains { $0.advertisedChannels == [] } && stage.remembered.count == 2)
    }

    @Test("the former keys open datagrams for five more seconds")
    func retired() throws {
        let (stage, peer) = try renewed(.leads)
        let former = try #require(peer.agreements.first)
        stage.passAlmost(.seconds(5))
        peer.say(DatagramBody(voice: [1]), by: former)
        #expect(stage.voices == [[1]] && stage.counter(.datagramsUnknownKey) == 0)
        stage.tick()
        peer.say(DatagramBody(voice: [2]), by: former)
        #expect(stage.voices == [[1]] && stage.counter(.datagramsUnknownKey) == 1)
    }

    @Test("an address that the peer has proved before a renewal stays proved after it")
    func adoptsPaths() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let elsewhere = Endpoint(address: IPAddress(v4: 10, 0, 0, 77), port: 7400)
        let agreed = try #require(peer.agreed)
        func sendFromElsewhere(_ body: DatagramBody) throws {
            let bytes = agreed.media.seal(body.encoded())
            stage.input(.datagram(try #require(bytes), from: elsewhere))
        }
        try sendFromElsewhere(DatagramBody(control: peer.block(), paddingBytes: 0))
        let asked = try #require(stage.outgoing.last)
        #expect(asked.to == elsewhere)
        peer.hear(asked.bytes)
        try sendFromElsewhere(DatagramBody(pathAnswer: try #require(agreed.bodies.last?.pathChallenge)))
        func isProved() -> Bool {
            stage.link(peer)?.paths.contains { $0.endpoint == elsewhere && $0.trust == .proved } == true
        }
        #expect(isProved())
        stage.pass(.seconds(2))
        peer.greet(2)
        try peer.agree(on: 2)
        #expect(stage.peer(peer)?.link?.attempt == 2 && isProved())
    }

    @Test("the measured loss survives a renewal, and the new block numbers count as no loss")
    func loss() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        func permille() -> Int? { stage.peer(peer)?.controlLossPermille }
        func pause(_ interval: Interval) {
            peer.isAnswering = false
            stage.pass(interval)
            peer.skip(3)
            peer.isAnswering = true
        }
        for _ in 0..<8 {
            pause(.milliseconds(900))
            peer.say(DatagramBody(control: peer.block()))
            stage.pass(.milliseconds(600))
        }
        let before = try #require(permille())
        #expect(0 < before)
        pause(.milliseconds(800))
        peer.greet(2)
        try peer.agree(on: 2)
        peer.say(DatagramBody(control: peer.block()))
        #expect(stage.peer(peer)?.link?.attempt == 2 && permille() == before)
    }

    // MARK: Loss

    @Test(
        "a link is verified after one second of silence, and goes down half a second later, with an event",
        arguments: LinkSide.allCases)
    func silence(_ side: LinkSide) throws {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        stage.advertise([peer.entry(of: stage.sealing.nodeID)], on: 1)
        #expect(stage.node.status(now: stage.now).isCliqueComplete)
        peer.isAnswering = false
        stage.passAlmost(.seconds(1))
        #expect(stage.state(peer) == .up)
        stage.tick()
        #expect(stage.state(peer) == .verifying && downs(stage).isEmpty)
        let countBefore = stage.events.count
        let now = stage.now
        let probed = stage.outgoing.count { $0.at == now }
        stage.passAlmost(.milliseconds(500))
        #expect(stage.state(peer) == .verifying && probed == 1)
        stage.tick()
        #expect(stage.state(peer) == .down && stage.counter(.linksDown) == 1)
        #expect(
            stage.events.dropFirst(countBefore) == [
                .peerDown(PeerSlot(index: 0), peer.id, Instance(exactly: 1)!, .silent), .peerSuspected(peer.id),
                .cliqueBroken,
            ])
        #expect(stage.peer(peer)?.failures == 1 && stage.peer(peer)?.lastFailure == "silent")
        #expect(stage.closed.isEmpty && stage.link(peer)?.wantedUntil == stage.now + .seconds(600))
        #expect((stage.link(peer)?.nextConnectRequestAt != nil) == (side == .follows))
    }

    @Test("a session that is down is probed after 0.5, 1, 2 and 2 s, and the first echo brings it up")
    func sleep() throws {
        let stage = LinkStage(suspicion: .plain(.seconds(170)))
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        let (begin, count) = (stage.now, stage.outgoing.count)
        stage.pass(.seconds(6))
        let waits = stage.outgoing.dropFirst(count).map { $0.at - begin }
        #expect(waits == [.milliseconds(500), .milliseconds(1_500), .milliseconds(3_500), .milliseconds(5_500)])
        #expect(ups(stage) == 1)
        let channels = [ChannelID(high: 1, low: 2)]
        stage.command(.setChannels(channels))
        peer.isAnswering = true
        stage.pass(.milliseconds(1_500))
        #expect(stage.peer(peer)?.upSince == stage.now && stage.peer(peer)?.link?.attempt == 1)
        #expect(ups(stage) == 2 && stage.counter(.linksUp) == 2 && stage.counter(.sessionsReplaced) == 0)
        #expect(stage.peer(peer)?.lastFailure == nil && stage.link(peer)?.nextConnectRequestAt == nil)
        // The session is the same, so that only what has changed meanwhile is sent.
        #expect(stage.messages(on: 1).compactMap(\.advertisedChannels) == [[], channels])
        #expect(stage.messages(on: 1).compactMap(\.advertisedLinks).count == 1)
        #expect(stage.link(peer)?.dials.isOver == true)
    }

    @Test("a carrier without a HELLO outlives the verdict; one with a HELLO does not")
    func answering() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.close(1)
        stage.pass(.milliseconds(200))
        peer.greet(3)
        peer.open(2)
        stage.pass(.milliseconds(300))
        #expect(stage.state(peer) == .connecting && stage.closed == [3])
        #expect(stage.link(peer)?.renewal == CarrierRenewal.none)
    }

    // MARK: Ends

    @Test("the flags of a peer end with its link, and each change is reported once")
    func flags() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.say(DatagramBody(control: peer.block(flags: [.talking, .recording, .takesPlain])))
        let report = ReceptionReport(lossPermille: 40, lossRunTenths: 10, latePermille: 0, jitterTargetSamples: 480)
        stage.input(.receptionReport(report, of: PeerSlot(index: 0)))
        var block = peer.block(flags: [.talking, .recording, .takesPlain])
        block.report = report
        peer.say(DatagramBody(control: block))
        #expect(stage.peer(peer)?.report == report && stage.peer(peer)?.lossInPermille == 40)
        let countBefore = stage.events.count
        stage.frame(.leave, on: 1)
        let slot = PeerSlot(index: 0)
        #expect(
            Array(stage.events.dropFirst(countBefore).prefix(3)) == [
                .peerTalking(slot, peer.id, false), .peerRecording(slot, peer.id, false),
                .peerDown(slot, peer.id, Instance(exactly: 1)!, .left),
            ])
        let status = try #require(stage.peer(peer))
        #expect(!status.isTalking && !status.isRecording && status.report == nil && status.lossInPermille == 0)
        // Plain sound is reported again when it comes back. Silence is not reported.
        let count = stage.events.count
        peer.recordSequence = 2
        try peer.link(on: 2)
        peer.say(DatagramBody(control: peer.block(flags: [.takesPlain])))
        stage.frame(.leave, on: 2)
        #expect(stage.plainTold == [true, true])
        let later = stage.events.dropFirst(count)
        #expect(
            !later.contains(.peerTalking(slot, peer.id, false)) && !later.contains(.peerRecording(slot, peer.id, false))
        )
    }

    @Test("LEAVE ends link, carrier, keys and channels, and the peer is not wanted")
    func leave() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.advertise(channels: [ChannelID(high: 1, low: 2)], on: 1)
        #expect(stage.peer(peer)?.channels.count == 1)
        stage.frame(.leave, on: 1)
        #expect(downs(stage) == [.left] && stage.closed == [1] && stage.counter(.linksDown) == 1)
        #expect(stage.state(peer) == .down && stage.wait(for: peer) == nil && stage.peer(peer)?.presence == .left)
        #expect(stage.peer(peer)?.channels == [])
        peer.say(DatagramBody(voice: [1]))
        #expect(stage.counter(.datagramsUnknownKey) == 1 && stage.voices.isEmpty)
    }

    @Test("keys without a renewal expire after 180 s, and a link that was up is dialled again at once")
    func keysExpire() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let begin = stage.now
        stage.refuseDials()
        stage.close(1)
        stage.passAlmost(.seconds(180))
        #expect(stage.state(peer) == .up && stage.counter(.keysExpired) == 0)
        let count = stage.dials.count
        stage.tick()
        #expect(downs(stage) == [.keysExpired] && stage.counter(.keysExpired) == 1)
        #expect(stage.dials.dropFirst(count).map { $0.at - begin } == [.seconds(180)])
    }

    @Test("keys that expire while the link is down start no attempt and report nothing")
    func keysExpireAsleep() throws {
        let stage = LinkStage(suspicion: .plain(.seconds(3_000)))
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.close(1)
        stage.passAlmost(.seconds(180))
        let (state, countBefore) = (stage.link(peer)?.state, stage.events.count)
        #expect(stage.counter(.keysExpired) == 0 && stage.counter(.linksDown) == 1)
        stage.tick()
        #expect(stage.counter(.keysExpired) == 1 && stage.counter(.linksDown) == 1)
        #expect(stage.events.count == countBefore && stage.link(peer)?.state == state)
    }
}
