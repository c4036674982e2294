import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Word of another boot, and a silence that was this node's own")
struct BootChangeTests {
    private func tell(_ stage: LinkStage, _ peer: LinkPuppet, instance: UInt64, boot: UInt64) {
        let other = LinkPuppet(seed: peer.seed, side: peer.side)
        (other.stage, other.instance, other.boot) = (stage, instance, boot)
        stage.input(.beacon(Beacon(mesh: "test", record: other.record()).encoded(), from: peer.endpoint))
    }

    private func downs(_ stage: LinkStage) -> [DownReason] {
        stage.events.compactMap { if case .peerDown(_, _, _, let reason) = $0 { reason } else { nil } }
    }

    // MARK: Another boot

    @Test("word of a later boot puts a living link in doubt and ends none; of one whose carrier stands it says nothing")
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

    @Test("where the carrier has closed and nothing answers, word of a later boot ends the link at once")
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

    @Test("a boot under the same instance that comes in replaces the other one", arguments: [1, 2] as [UInt64])
    func replaced(_ instance: UInt64) throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.frame(.channels([ChannelID(high: 1, low: 1)]), on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        #expect(stage.state(peer) == .down)
        (peer.instance, peer.boot, peer.isAnswering) = (instance, 99, true)
        let count = stage.events.count
        try peer.link(on: 2)
        #expect(stage.peer(peer)?.instance?.number == instance && stage.peer(peer)?.link?.attempt == 2)
        #expect(stage.counter(.sessionsReplaced) == 0 && stage.isClosed(1))
        // What the former boot listened to is not the new one's.
        #expect(stage.peer(peer)?.channels == [])
        #expect(!stage.events.dropFirst(count).contains { if case .peerChannels = $0 { true } else { false } })
    }

    @Test("where the same boot comes back, people are told again where it listens")
    func channelsAgain() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let channels = [ChannelID(high: 1, low: 1)]
        stage.frame(.channels(channels), on: 1)
        peer.isAnswering = false
        stage.pass(.milliseconds(1_500))
        peer.isAnswering = true
        stage.pass(.seconds(2))
        let told = MeshEvent.peerChannels(PeerSlot(index: 0), peer.id, channels)
        #expect(stage.state(peer) == .up && stage.events.count { $0 == told } == 2)
    }

    @Test("word of a later boot ends what was agreed with the former: a dial at once, the next after two seconds")
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

    @Test("beside a link, only what is being negotiated with the former boot ends")
    func candidateBesideLink() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        stage.pass(.seconds(2))
        peer.greet(2)
        peer.instance = 2
        tell(stage, peer, instance: 2, boot: peer.boot)
        // The same boot under a higher name: it goes on.
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

    @Test("on a carrier that was still mute when a peer left, its next boot links", arguments: LinkSide.allCases)
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

    // MARK: The own silence

    @Test("after a stop of its own a node gives every silence its whole second again")
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

    @Test("a peer that is heard and echoes nothing is in doubt after 1.4 s; a stop of this node's own begins it anew")
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

    @Test("a deadline that is handled 300 ms late lengthens the silence by just that")
    func lag() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        peer.isAnswering = false
        let begin = stage.now
        let due = try #require(stage.due)
        stage.jump(due - stage.now + .milliseconds(300))
        stage.input(.deadline)
        #expect(stage.counter(.ownLags) == 1)
        #expect(stage.link(peer)?.paths[0].echoedAt == begin + .milliseconds(300))
        stage.passAlmost(begin + .milliseconds(1_300) - stage.now)
        #expect(stage.state(peer) == .up)
        stage.tick()
        #expect(stage.state(peer) == .verifying)
    }

    @Test("who has just stood still and finds its carrier closed dials at once, though it follows")
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

    @Test("a session that wakes without a carrier seeks one at once")
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

    @Test("a link that a gossiper's word led to is told of as a repaired hole, once")
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
