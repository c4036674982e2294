import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Advertised changes of links, and remembered facts about them")
struct NewsTests {
    /// A neighbour that receives the link states, and a peer whose link goes up and down.
    private func stage() throws -> (LinkStage, neighbour: LinkPuppet, peer: LinkPuppet) {
        let stage = LinkStage(suspicion: .plain(.seconds(100)))
        let (neighbour, peer) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        try neighbour.link(on: 1)
        try peer.link(on: 2)
        stage.pass(.seconds(5))
        return (stage, neighbour, peer)
    }

    /// Times since `begin` at which link states were sent to the neighbour.
    private func tellings(_ stage: LinkStage, since begin: Instant) -> [Interval] {
        stage.sent.filter { $0.message.advertisedLinks != nil && $0.carrier == 1 && begin < $0.at }
            .map { $0.at - begin }
    }

    @Test("a lost link is advertised after 50 ms, and its return a second after that at the earliest")
    func rows() throws {
        let (stage, _, peer) = try stage()
        let begin = stage.now
        stage.frame(.leave, on: 2)
        stage.pass(.milliseconds(500))
        peer.recordSequence = 2
        try peer.link(on: 3)
        stage.pass(.milliseconds(900))
        #expect(tellings(stage, since: begin) == [.milliseconds(50), .milliseconds(1_050)])
    }

    @Test("the node holds back the advertisement of a flapping link")
    func flapping() throws {
        let (stage, _, peer) = try stage()
        func turn() {
            peer.isAnswering = false
            for _ in 0..<200 where stage.state(peer) != .down { stage.pass(.milliseconds(10)) }
            peer.isAnswering = true
        }
        func comeBack() { for _ in 0..<300 where stage.state(peer) != .up { stage.pass(.milliseconds(10)) } }
        for _ in 0..<2 {
            turn()
            comeBack()
        }
        #expect(stage.counter(.flapsDamped) == 0)
        stage.pass(.seconds(2))
        turn()
        let begin = stage.now
        #expect(stage.counter(.flapsDamped) == 1 && stage.events.contains(.peerFlapping(peer.id, true)))
        stage.pass(.milliseconds(400))
        #expect(tellings(stage, since: begin).isEmpty)
        comeBack()
        stage.pass(.milliseconds(500))
        #expect(tellings(stage, since: begin).isEmpty)
    }

    @Test("a peer that says good-bye and links again, again and again, is damped too")
    func goodbyes() throws {
        let (stage, _, peer) = try stage()
        for carrier in 3...5 as ClosedRange<UInt64> {
            stage.frame(.leave, on: carrier - 1)
            stage.pass(.milliseconds(1_500))
            try peer.link(on: carrier)
        }
        #expect(stage.counter(.flapsDamped) == 1 && stage.events.contains(.peerFlapping(peer.id, true)))
    }

    @Test("an advance of a peer is advertised within a second")
    func relabelled() throws {
        let (stage, _, peer) = try stage()
        let begin = stage.now
        peer.instance = 4
        peer.recordSequence = 2
        stage.frame(.records([peer.record()]), on: 2)
        stage.pass(.milliseconds(1_100))
        #expect(tellings(stage, since: begin).first == .milliseconds(50))
        #expect(stage.peer(peer)?.link?.followerInstance.number == 4)
    }

    @Test("a link marks its peer as seen, when it comes up and as long as the peer is heard")
    func seenFirst() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func seenAt() -> Instant? { stage.node.peerSnapshot(of: peer.id, now: stage.now).known?.seenAt }
        try peer.link(on: 1)
        #expect(seenAt() == stage.now && stage.peer(peer)?.name == SafeText("p"))
        stage.pass(.seconds(3))
        let heardAt = stage.peer(peer)?.lastHeard
        stage.frame(.leave, on: 1)
        #expect(seenAt() == heardAt)
        peer.recordSequence = 2
        try peer.link(on: 2)
        stage.pass(.seconds(3))
        peer.isAnswering = false
        let lastHeard = stage.peer(peer)?.lastHeard
        stage.pass(.milliseconds(1_600))
        #expect(stage.state(peer) != .up && seenAt() == lastHeard)
    }

    @Test("the link states of a peer end with its session")
    func forgottenLinkStates() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func row() -> [AdvertisedLink]? {
            stage.node.status(now: stage.now).matrix.first { $0.node == peer.id }?.entries
        }
        try peer.link(on: 1)
        stage.advertise([peer.entry(of: stage.sealing.nodeID)], on: 1)
        #expect(row()?.count == 1 && stage.node.status(now: stage.now).isCliqueComplete)
        stage.frame(.leave, on: 1)
        try peer.link(on: 3)
        #expect(row()?.count == 0 && !stage.node.status(now: stage.now).isCliqueComplete)
        stage.frame(.leave, on: 3)
        peer.isAnswering = false
        peer.greet(2)
        try peer.agree(on: 2)
        #expect(!stage.node.status(now: stage.now).isCliqueComplete)
        // Link states that come before the echo count when the echo comes.
        stage.advertise([peer.entry(of: stage.sealing.nodeID)], on: 2)
        peer.isAnswering = true
        stage.pass(.milliseconds(100))
        #expect(row()?.count == 1 && stage.node.status(now: stage.now).isCliqueComplete)
    }

    @Test("when a neighbour leaves, a suspicion is judged by the remaining neighbours")
    func reviewed() throws {
        let stage = LinkStage()
        let (suspect, neighbour) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        try suspect.link(on: 1)
        try neighbour.link(on: 2)
        stage.advertise([neighbour.entry(of: stage.sealing.nodeID), neighbour.entry(of: suspect.id)], on: 2)
        suspect.isAnswering = false
        stage.pass(.milliseconds(1_500))
        #expect(stage.state(suspect) == .down)
        func left() -> Interval? { stage.peer(suspect)?.suspicionEndsAt.map { $0 - stage.now } }
        #expect(left() == .seconds(24))
        stage.frame(.leave, on: 2)
        #expect(try #require(left()) == .milliseconds(4_500))
    }

    // MARK: Dials and addresses

    @Test("a successful dial marks its address as good, and an address from the user opens its network")
    func reach() {
        let away = Endpoint(address: IPAddress(v4: 192, 168, 9, 9), port: 7_400)
        let stage = LinkStage(staticPeers: [away])
        let (peer, visitor) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        let near = Endpoint(address: IPAddress(v4: 192, 168, 9, 8), port: 9)
        stage.onDial = { dial, endpoint in if endpoint == away { peer.open(1, dial: dial, from: away) } }
        stage.pass(.zero)
        let entry = stage.link(peer)?.addresses.entries.first { $0.endpoint == away }
        #expect(entry?.source == .user && entry?.lastGoodAt == nil)
        #expect(stage.link(peer)?.wantedUntil == stage.now + .seconds(600))
        visitor.open(2, from: near)
        peer.hello(on: 1)
        let good = stage.link(peer)?.addresses.entries.first { $0.endpoint == away }
        #expect(good?.lastGoodAt == stage.now)
        visitor.open(3, from: near)
        #expect(stage.isClosed(2) && !stage.isClosed(3))
    }

    @Test("a dial that opens cancels the others; an incoming carrier only prevents further dials")
    func race() {
        let stage = LinkStage()
        let (dialled, visiting) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        let places = [50, 51].map { Endpoint(address: IPAddress(v4: 10, 0, 0, $0), port: 7_400) }
        for peer in [dialled, visiting] {
            stage.input(.discovered(PeerHint(source: .avahi, node: peer.id, endpoints: places)))
        }
        visiting.open(9)
        stage.pass(.milliseconds(300))
        #expect(stage.dials.count == 3 && stage.cancelled.isEmpty)
        dialled.greet(1, dial: stage.dials[0].id)
        #expect(stage.cancelled == [stage.dials[2].id])
        let entry = stage.link(dialled)?.addresses.entries.first { $0.endpoint == stage.dials[0].endpoint }
        #expect(entry?.source == .remembered && entry?.lastGoodAt == stage.now)
    }

    @Test("a cancelled dial that opens all the same is closed, and is no incoming carrier")
    func opensAfterCancel() {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        let places = [50, 51].map { Endpoint(address: IPAddress(v4: 10, 0, 0, $0), port: 7_400) }
        stage.input(.discovered(PeerHint(source: .avahi, node: peer.id, endpoints: places)))
        stage.pass(.milliseconds(300))
        peer.greet(1, dial: stage.dials[0].id)
        #expect(stage.cancelled == [stage.dials[1].id] && stage.closed.isEmpty)
        peer.open(2, dial: stage.dials[1].id)
        #expect(stage.closed == [2] && stage.messages(on: 2).isEmpty && stage.invites(on: 1).count == 1)
    }

    // MARK: Datagrams

    @Test("datagrams that do not open are counted by reason")
    func opening() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.follows)
        try peer.link(on: 1)
        let agreed = try #require(peer.agreed)
        func voice() -> [UInt8] { agreed.media.seal(DatagramBody(voice: [1]).encoded()) ?? [] }
        func receive(_ bytes: [UInt8]) { stage.input(.datagram(bytes, from: peer.endpoint)) }
        let (good, late) = (voice(), voice())
        var forged = voice()
        forged[forged.count - 1] ^= 1
        for bytes in [good, good, forged, [0x50, 1]] { receive(bytes) }
        try peer.renewKeys(generation: 2, isConfirmed: true)
        stage.jump(.seconds(5))
        receive(late)
        let counted: [MeshCounter] = [.datagramsReplayed, .datagramsForged, .datagramsMalformed, .datagramsExpiredKey]
        #expect(counted.map(stage.counter) == [1, 1, 1, 1])
        #expect(stage.counter(.datagramsUnknownKey) == 0 && stage.voices == [[1]])
    }

    @Test("a control block counts if it is newer than all earlier ones, over any path and across the wrap")
    func newest() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        func isTalking(_ sequence: UInt32, _ flags: ControlFlags) -> Bool? {
            var block = peer.block(flags: flags)
            block.sequence = sequence
            peer.say(DatagramBody(control: block))
            return stage.peer(peer)?.isTalking
        }
        for sequence in [0x7000_0000, 0xE000_0000] as [UInt32] { _ = isTalking(sequence, []) }
        #expect(isTalking(0xFFFF_FFFF, .talking) == true && isTalking(0, []) == false)
        #expect(isTalking(1, .talking) == true)
        #expect(isTalking(1, []) == true && isTalking(0, []) == true && isTalking(2, []) == false)
    }
}
