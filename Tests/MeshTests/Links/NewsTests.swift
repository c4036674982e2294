import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("What a link's turns tell others, and what is remembered of it")
struct NewsTests {
    /// A neighbour that hears the rows, and a peer whose link turns.
    private func stage() throws -> (LinkStage, neighbour: LinkPuppet, peer: LinkPuppet) {
        let stage = LinkStage(suspicion: .plain(.seconds(100)))
        let (neighbour, peer) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        try neighbour.link(on: 1)
        try peer.link(on: 2)
        stage.pass(.seconds(5))
        return (stage, neighbour, peer)
    }

    /// When rows or their changes were told to the neighbour since `begin`.
    private func tellings(_ stage: LinkStage, since begin: Instant) -> [Interval] {
        stage.sent.filter { word in
            switch word.message {
            case .linkStates, .linkChanges: word.carrier == 1 && begin < word.at
            default: false
            }
        }.map { $0.at - begin }
    }

    @Test("a link that is lost is told after 50 ms, one that comes back a second later: a second after that")
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

    @Test("a peer that comes and goes is told of when it has perhaps turned again: after four seconds")
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

    @Test("a boot that goes on under a higher instance is told of within a second")
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

    @Test("a link witnesses its peer: when it came up, and when it was last heard")
    func witnessed() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func seenAt() -> Instant? { stage.node.peerSnapshot(into: peer.id, now: stage.now).known?.seenAt }
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

    @Test("what a peer's row said is over with its session")
    func forgottenLinkStates() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        func row() -> [AdvertisedLink]? {
            stage.node.status(now: stage.now).matrix.first { $0.node == peer.id }?.entries
        }
        try peer.link(on: 1)
        stage.frame(.linkStates([peer.entry(of: stage.sealing.nodeID)]), on: 1)
        #expect(row()?.count == 1 && stage.node.status(now: stage.now).isCliqueComplete)
        stage.frame(.leave, on: 1)
        try peer.link(on: 3)
        #expect(row()?.count == 0 && !stage.node.status(now: stage.now).isCliqueComplete)
        stage.frame(.leave, on: 3)
        peer.isAnswering = false
        peer.greet(2)
        try peer.agree(on: 2)
        #expect(!stage.node.status(now: stage.now).isCliqueComplete)
        // A row that comes before the echo counts when it comes.
        stage.frame(.linkStates([peer.entry(of: stage.sealing.nodeID)]), on: 2)
        peer.isAnswering = true
        stage.pass(.milliseconds(100))
        #expect(row()?.count == 1 && stage.node.status(now: stage.now).isCliqueComplete)
    }

    @Test("when one neighbour leaves, a suspect is judged by those who are left")
    func reviewed() throws {
        let stage = LinkStage()
        let (suspect, witness) = (stage.puppet(.leads), stage.puppet(.leads, 1))
        try suspect.link(on: 1)
        try witness.link(on: 2)
        stage.frame(.linkStates([witness.entry(of: stage.sealing.nodeID), witness.entry(of: suspect.id)]), on: 2)
        suspect.isAnswering = false
        stage.pass(.milliseconds(1_500))
        #expect(stage.state(suspect) == .down)
        func left() -> Interval? { stage.peer(suspect)?.suspicionEndsAt.map { $0 - stage.now } }
        #expect(left() == .seconds(24))
        stage.frame(.leave, on: 2)
        #expect(try #require(left()) == .milliseconds(4_500))
    }

    // MARK: Dials and addresses

    @Test("the address that a dial has found is remembered as good, and what a person gave opens its network")
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

    @Test("a dial that opens ends the others; a visitor ends only those that have yet to begin")
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

    // MARK: Datagrams

    @Test("what does not open is counted by its reason")
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

    @Test("what a block says counts where it is newer than all before, over any path and past the largest number")
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
