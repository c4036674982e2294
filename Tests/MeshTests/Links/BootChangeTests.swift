import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("News of another boot, and pauses of this node")
struct BootChangeTests {
    private func tell(_ stage: LinkStage, _ peer: LinkPuppet, instance: UInt64, boot: UInt64) {
        let other = LinkPuppet(seed: peer.seed, side: peer.side)
        (other.stage, other.instance, other.boot) = (stage, instance, boot)
        other.sendBeacon()
    }

    private func downs(_ stage: LinkStage) -> [DownReason] {
        stage.events.compactMap { if case .peerDown(_, _, _, let reason) = $0 { reason } else { nil } }
    }

    // MARK: Another boot

    @Test("a record of a later boot starts the verification of a link, and ends no link whose carrier is open")
    func wordOfBoot() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let count = stage.events.count
        tell(stage, peer, instance: 2, boot: 99)
        #expect(stage.events.dropFirst(count).contains(.peerVerifying(PeerSlot(index: 0), peer.id)))
        #expect(stage.state(peer) == .up && downs(stage).isEmpty)
        peer.isAnswering = false
        stage.pass(.seconds(1))
        #expect(stage.state(peer) == .verifying)
        tell(stage, peer, instance: 3, boot: 100)
        #expect(stage.state(peer) == .verifying && downs(stage).isEmpty)
    }

    @Test("if the carrier has closed and nothing answers, a record of a later boot ends the link at once")
    func wordAfterClose() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.close(1)
        let count = stage.dials.count
        tell(stage, peer, instance: 2, boot: 99)
        #expect(downs(stage) == [.newerInstance] && stage.peer(peer)?.presence.suspicion?.cause == .replaced)
        stage.pass(.zero)
        #expect(stage.dials.count == count + 1 && stage.counter(.linksDown) == 1)
    }

    @Test("a dial to a later boot leaves the one shortened wait to the connection that the boot opens itself")
    func waitAfterLaterBoot() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.close(1)
        tell(stage, peer, instance: 2, boot: 99)
        stage.pass(.zero)
        stage.input(.dialFailed(try #require(stage.dials.last).id, .refused))
        #expect(stage.counter(.cooldownsCut) == 0 && stage.state(peer) == .down)
        peer.open(2)
        #expect(stage.counter(.cooldownsCut) == 1 && stage.state(peer) == .connecting)
    }

    @Test(
        "a boot with another nonce replaces the former one when it connects, under the same or a higher instance",
        arguments: [1, 2] as [UInt64])
    func replaced(_ instance: UInt64) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.advertise(channels: [ChannelID(high: 1, low: 1)], on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        #expect(stage.state(peer) == .down)
        (peer.instance, peer.boot, peer.isAnswering) = (instance, 99, true)
        let count = stage.events.count
        try peer.link(on: 2)
        #expect(stage.peer(peer)?.instance?.number == instance && stage.peer(peer)?.link?.attempt == 2)
        #expect(stage.counter(.sessionsReplaced) == 0 && stage.isClosed(1))
        // The channels of the former boot are not those of the new one.
        #expect(stage.peer(peer)?.channels == [])
        #expect(!stage.events.dropFirst(count).contains { if case .peerChannels = $0 { true } else { false } })
    }

    @Test("when the same boot comes back, its channels are reported again")
    func channelsAgain() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let channels = [ChannelID(high: 1, low: 1)]
        stage.advertise(channels: channels, on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        peer.isAnswering = true
        stage.pass(.seconds(2))
        let report = MeshEvent.peerChannels(PeerSlot(index: 0), peer.id, channels)
        #expect(stage.state(peer) == .up && stage.events.count { $0 == report } == 2)
    }

    @Test(
        "a record of a later boot ends a negotiation with the former one; dials follow at once, then after two seconds")
    func candidates() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        peer.isAnswering = false
        var waits: [Interval] = []
        for boot in 1...2 as ClosedRange<UInt64> {
            (peer.instance, peer.boot) = (boot, 90 + boot)
            peer.greet(boot)
            try peer.agree(on: boot)
            #expect(stage.state(peer) == .awaitingInvite)
            let (count, begin) = (stage.dials.count, stage.now)
            tell(stage, peer, instance: boot + 1, boot: 91 + boot)
            #expect(stage.isClosed(boot) && stage.state(peer) == .down)
            stage.pass(.seconds(2))
            waits.append(try #require(stage.dials.dropFirst(count).first).at - begin)
            stage.input(.dialFailed(stage.dials[stage.dials.count - 1].id, .refused))
        }
        #expect(waits == [.zero, .seconds(2)] && stage.counter(.cooldownsCut) == 2)
    }

    @Test("beside a link, a negotiation survives an advance of the peer, and ends with a later boot")
    func candidateBesideLink() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        peer.greet(2)
        peer.instance = 2
        tell(stage, peer, instance: 2, boot: peer.boot)
        // This is the same boot under a higher instance: the negotiation goes on.
        #expect(
            !stage.isClosed(2) && stage.events.contains(.peerAdvanced(PeerSlot(index: 0), peer.id, .init(exactly: 2)!)))
        #expect(stage.peer(peer)?.link?.followerInstance.number == 2 && stage.peer(peer)?.instance?.number == 2)
        peer.isAnswering = false
        stage.pass(.seconds(1))
        stage.close(1)
        #expect(stage.state(peer) == .verifying)
        tell(stage, peer, instance: 3, boot: 99)
        #expect(stage.isClosed(2) && downs(stage) == [.newerInstance])
    }

    @Test(
        "a carrier that sent no HELLO before its peer left can serve the peer's next boot",
        arguments: LinkSide.allCases)
    func muteCarrier(_ side: LinkSide) throws {
        let stage = LinkStage()
        let peer = stage.puppet(side)
        try peer.link(on: 1)
        peer.open(2)
        stage.frame(.leave, on: 1)
        #expect(stage.state(peer) == .down && !stage.isClosed(2))
        (peer.instance, peer.boot) = (2, 99)
        peer.hello(on: 2)
        try peer.agree(on: 2)
        #expect(stage.state(peer) == .up)
    }

    // MARK: Pauses of this node

    @Test("after a pause of its own a node restarts the silence of every link")
    func resumed() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(900))
        #expect(stage.link(peer)?.paths[0].echoedAt == stage.now - .milliseconds(900))
        stage.input(.resumed(gap: .seconds(5)))
        stage.passAlmost(.seconds(1))
        #expect(stage.state(peer) == .up)
        stage.tick()
        #expect(stage.state(peer) == .verifying)
    }

    @Test("a peer that is heard but echoes nothing is verified after 1.4 s; a pause of this node restarts that time")
    func echoSilence() throws {
        for isStopped in [false, true] {
            let stage = LinkStage()
            let peer = stage.puppet(.leads)
            try peer.link(on: 1)
            peer.isAnswering = false
            let begin = stage.now
            for step in 1...4 {
                stage.pass(.milliseconds(250))
                peer.say(DatagramBody(control: peer.block()))
                if step == 4, isStopped { stage.input(.resumed(gap: .seconds(5))) }
            }
            let end = begin + (isStopped ? .milliseconds(2_400) : .milliseconds(1_400))
            while stage.now + .milliseconds(250) < end {
                stage.pass(.milliseconds(250))
                peer.say(DatagramBody(control: peer.block()))
            }
            stage.passAlmost(end - stage.now)
            #expect(stage.state(peer) == .up)
            stage.tick()
            #expect(stage.state(peer) == .verifying)
        }
    }

    @Test("a deadline handled 300 ms late extends the allowed silence by 300 ms")
    func lag() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        let begin = stage.now
        let due = try #require(stage.due)
        stage.jump(due - stage.now + .milliseconds(300))
        stage.input(.deadline)
        #expect(stage.counter(.ownPauses) == 1)
        #expect(stage.link(peer)?.paths[0].echoedAt == begin + .milliseconds(300))
        stage.passAlmost(begin + .milliseconds(1_300) - stage.now)
        #expect(stage.state(peer) == .up)
        stage.tick()
        #expect(stage.state(peer) == .verifying)
    }

    @Test("after a pause of its own a follower whose carrier is closed dials at once")
    func standstill() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        stage.pass(.milliseconds(100))
        stage.input(.resumed(gap: .seconds(5)))
        peer.isAnswering = false
        stage.close(1)
        stage.pass(.zero)
        #expect(stage.state(peer) == .verifying && stage.dials.map(\.at) == [stage.now])
    }

    @Test("a session that comes up again without a carrier wants a new one")
    func wakesWithoutCarrier() throws {
        let stage = LinkStage(suspicion: .plain(.seconds(100)))
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        stage.close(1)
        stage.pass(.milliseconds(600))
        #expect(stage.state(peer) == .down && stage.link(peer)?.renewal == CarrierRenewal.none)
        peer.isAnswering = true
        for _ in 0..<300 where stage.state(peer) != .up { stage.pass(.milliseconds(10)) }
        #expect(stage.state(peer) == .up && stage.link(peer)?.renewal != CarrierRenewal.none)
    }

    @Test("a link to a peer that a neighbour's record named is reported as a repaired hole, once")
    func holes() throws {
        let stage = LinkStage()
        let (neighbour, found) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        try neighbour.link(on: 1)
        stage.frame(.records([found.record()]), on: 1)
        try found.link(on: 2)
        #expect(stage.events.filter { $0 == .holeRepaired(found.id) }.count == 1)
        #expect(!stage.events.contains(.holeRepaired(neighbour.id)))
        found.isAnswering = false
        stage.pass(.milliseconds(1_500))
        found.isAnswering = true
        stage.pass(.seconds(2))
        #expect(stage.state(found) == .up && stage.events.filter { $0 == .holeRepaired(found.id) }.count == 1)
    }
}
