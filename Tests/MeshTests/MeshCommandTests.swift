import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Commands of the user")
struct MeshCommandTests {
    private let mesh = ScriptedMesh()

    private func advertised(_ peer: ScriptedPeer) -> [[ChannelID]] {
        peer.take().compactMap(\.advertisedChannels)
    }

    private func list(_ number: UInt64) -> [ChannelID] { [ChannelID(high: 0, low: number)] }

    private var heard: [UInt64] {
        mesh.events.compactMap { if case .peerChannels(_, _, let channels) = $0 { channels.first?.low } else { nil } }
    }

    private func downs(_ peer: ScriptedPeer) -> [DownReason] {
        mesh.events.compactMap { if case .peerDown(_, peer.id, _, let reason) = $0 { reason } else { nil } }
    }

    // MARK: Channels

    @Test("the channels are sent over every link, at most 14, and over new links too")
    func channels() {
        let peer = mesh.clique([2])[0]
        let all = (0..<40 as Range<UInt64>).map { ChannelID(high: 1, low: $0) }
        mesh.command(.setChannels(all))
        #expect(advertised(peer) == [Array(all[0..<14])])
        let later = mesh.link(3)
        #expect(advertised(later) == [Array(all[0..<14])])
        mesh.command(.setChannels([]))
        #expect(advertised(peer) == [[]] && advertised(later) == [[]])
    }

    @Test("a change of a peer's channel list is reported; eight are used at once, and then two a second")
    func channelLists() {
        let peer = mesh.clique([2])[0]
        for number: UInt64 in [1, 1, 2, 3, 4, 5, 6, 7, 8] { mesh.advertise(channels: list(number), by: peer) }
        #expect(heard == [1, 2, 3, 4, 5, 6, 7, 8] && mesh.count(.channelsOverRate) == 0)
        mesh.forget()
        mesh.advertise(channels: list(9), by: peer)
        #expect(mesh.count(.channelsOverRate) == 1 && mesh.peer(peer)?.channels == list(8))
        // The list goes back to the one in use.
        mesh.advertise(channels: list(8), by: peer)
        #expect(heard.isEmpty && mesh.count(.channelsOverRate) == 1)
        mesh.pass(.milliseconds(500))
        mesh.advertise(channels: list(10), by: peer)
        #expect(heard == [10] && mesh.peer(peer)?.channels == list(10))
        mesh.advertise(channels: list(11), by: peer)
        #expect(heard == [10] && mesh.count(.channelsOverRate) == 2)
    }

    private func listDatagrams(_ peer: ScriptedPeer) -> [Instant] {
        peer.bodies.compactMap { $0.body.listening == nil ? nil : $0.at }
    }

    private func tellAhead(_ number: UInt64, generation: UInt8, by peer: ScriptedPeer) {
        let change = ListeningChange(list(number), generation: generation)
        mesh.send(DatagramBody(control: mesh.control(of: peer), listening: change), from: peer)
    }

    @Test("a changed list leaves in three datagrams, 20 ms apart; a first list that arrives on the carrier in none")
    func listsAhead() {
        let peer = mesh.clique([2])[0]
        mesh.pass(.seconds(1))
        #expect(listDatagrams(peer).isEmpty)
        let start = mesh.now
        mesh.command(.setChannels(list(1)))
        // Voice that makes a control block due does not take its place.
        mesh.input(.voice([1], to: PeerSlot(index: 0)))
        mesh.pass(.seconds(2))
        #expect(listDatagrams(peer) == [0, 20, 40].map { start + .milliseconds($0) })
        let lists = peer.bodies.compactMap(\.body.listening)
        #expect(lists.allSatisfy { $0.channels == list(1) && $0.generation == peer.held.channels })
        #expect(peer.bodies.allSatisfy { $0.body.listening == nil || $0.body.control != nil })
    }

    @Test("a list ahead of CHANNELS is used at once if it is later, within an allowance; control blocks do not name it")
    func listAhead() {
        let peer = mesh.clique([2])[0]
        func tell(_ number: UInt64, generation: UInt8) { tellAhead(number, generation: generation, by: peer) }
        mesh.advertise(channels: list(1), by: peer)
        let first = peer.advertised.channels
        tell(6, generation: first)
        tell(6, generation: first &+ 200)
        #expect(heard == [1])
        tell(7, generation: first + 2)
        #expect(heard == [1, 7] && mesh.peer(peer)?.channels == list(7))
        mesh.pass(.seconds(1))
        #expect(peer.bodies.last { $0.body.control != nil }?.body.control?.held.channels == first)
        // The views before it change nothing; its own view does not either.
        mesh.advertise(channels: list(3), by: peer)
        mesh.advertise(channels: list(7), by: peer)
        #expect(heard == [1, 7])
        for number in 1...9 as ClosedRange<UInt8> { tell(UInt64(20 + number), generation: first + 2 + number) }
        #expect(mesh.count(.channelsOverRate) == 1 && mesh.peer(peer)?.channels == list(28))
    }

    @Test("the first list of a session leaves in datagrams too each time that it is sent again")
    func firstListAgain() {
        let peer = mesh.clique([2])[0]
        // The peer names no generation, as if the carrier stalled.
        peer.holdsViews = false
        mesh.pass(.seconds(4))
        let times = listDatagrams(peer)
        #expect(6 <= times.count)
        peer.holdsViews = true
        mesh.pass(.seconds(1))
        let count = listDatagrams(peer).count
        mesh.pass(.seconds(10))
        #expect(listDatagrams(peer).count == count)
    }

    @Test("a list ahead of the first CHANNELS of a session is used at once, whatever its generation")
    func listAheadOfFirst() {
        let peer = mesh.clique([2])[0]
        func tell(_ number: UInt64, generation: UInt8) { tellAhead(number, generation: generation, by: peer) }
        tell(5, generation: 200)
        tell(6, generation: 199)
        #expect(heard == [5] && mesh.peer(peer)?.channels == list(5))
        mesh.pass(.seconds(1))
        #expect(peer.bodies.last { $0.body.control != nil }?.body.control?.held.channels == 0)
        mesh.say(.channels(list(7), talks: [], generation: 201), by: peer)
        #expect(heard == [5, 7])
    }

    @Test("a tally is read by the view that CHANNELS brought, and ends with a control block that has none")
    func tallies() {
        let peer = mesh.clique([2])[0]
        let all = list(1) + list(2)
        mesh.say(.channels(list(1), talks: list(2), generation: 9), by: peer)
        func tell(_ tally: Tally?) {
            mesh.send(DatagramBody(control: mesh.control(of: peer), tally: tally), from: peer)
        }
        tell(Tally(generation: 9, places: 0b11))
        #expect(mesh.peer(peer)?.talksOn == all && mesh.peer(peer)?.talks == list(2))
        tell(Tally(generation: 9, places: 0b10))
        #expect(mesh.peer(peer)?.talksOn == list(2))
        tell(Tally(generation: 8, places: 0b11))
        #expect(mesh.peer(peer)?.talksOn == [])
        tell(Tally(generation: 9, places: 0xFFFF_FFFD))
        #expect(mesh.peer(peer)?.talksOn == list(1))
        tell(nil)
        #expect(mesh.peer(peer)?.talksOn == [])
    }

    @Test("this node's tally leaves at once, on channels of its view alone, and beside voice")
    func ownTally() {
        let peer = mesh.clique([2])[0]
        mesh.command(.setChannels(list(1), talks: list(2)))
        mesh.pass(.seconds(1))
        mesh.forget()
        mesh.input(.tally(list(2) + list(9)))
        mesh.pass(.milliseconds(1))
        #expect(peer.bodies.last?.body.tally == Tally(generation: peer.held.channels, places: 0b10))
        mesh.forget()
        for _ in 0..<400 {
            mesh.input(.voice([1], to: PeerSlot(index: 0)))
            mesh.pass(.milliseconds(5))
        }
        let controlled = peer.bodies.filter { $0.body.control != nil }
        #expect(1 < controlled.count && controlled.allSatisfy { $0.body.tally != nil })
        #expect(controlled.contains { !$0.body.voice.isEmpty })
        mesh.forget()
        mesh.input(.tally([]))
        mesh.pass(.milliseconds(1))
        #expect(peer.bodies.last.map { $0.body.control != nil && $0.body.tally == nil } == true)
    }

    // MARK: Leaving

    @Test("a node that leaves says so on every link, ends its dials, and does nothing more")
    func leaving() throws {
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)
        let mesh = ScriptedMesh { $0.staticPeers = [place] }
        mesh.pass(.milliseconds(10))
        #expect(mesh.dialled == [place])
        let peer = mesh.link(2)
        let guest = mesh.enter(3) { $0.isEchoing = false }
        let hint = PeerHint(source: .avahi, node: TestIdentity.nodeID(seed: 50), endpoints: [place])
        mesh.input(.discovered(hint))
        mesh.pass(.seconds(1))
        let dials = mesh.log.compactMap { if case .dial(let dial, _, _) = $0.what { dial } else { nil } }
        #expect(dials.count == 2)
        mesh.forget()
        mesh.command(.leave)
        let words = peer.take()
        #expect(words.count == 2 && words.last == .leave)
        guard case .records(let records)? = words.first else {
            Issue.record("records before LEAVE")
            return
        }
        let record = try records.first?.verified(with: peer.sealing)
        #expect(record?.isLeaving == true && record?.node == mesh.own && record?.sequence == 2)
        #expect(peer.isClosed && guest.isClosed && !guest.take().contains(.leave))
        let cancelled = mesh.log.compactMap { if case .cancelDial(let dial) = $0.what { dial } else { nil } }
        #expect(Set(cancelled) == Set(dials) && cancelled.count == 2)
        #expect(mesh.events.count == 1)
        guard case .peerDown(_, peer.id, _, .localLeave)? = mesh.events.first else {
            Issue.record("\(mesh.events)")
            return
        }
        mesh.forget()
        #expect(mesh.deadline == nil && mesh.status.nextDeadline == nil)
        mesh.input(.discovered(hint))
        mesh.input(.carrierOpened(CarrierID(number: 900), peer: peer.id, dial: nil, remote: peer.endpoint))
        mesh.pass(.seconds(5))
        #expect(mesh.log.isEmpty)
    }

    @Test("a peer that leaves is down at once, its carrier is closed, and it is not dialled again")
    func peerLeaves() {
        let peer = mesh.link(2) {
            $0.record.endpoints = [Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)]
        }
        mesh.pass(.seconds(2))
        mesh.forget()
        mesh.say(.leave, by: peer)
        #expect(downs(peer) == [.left] && peer.isClosed && mesh.peer(peer)?.presence == .left)
        mesh.pass(.seconds(100))
        #expect(mesh.dialled.isEmpty)
        // A LEAVE ends a negotiation as well.
        let guest = mesh.enter(3) { $0.isEchoing = false }
        mesh.say(.leave, by: guest)
        #expect(guest.isClosed && mesh.peer(guest)?.state == .down && mesh.count(.framesUnexpected) == 0)
    }

    // MARK: Blocking

    @Test("a block tells the peer for five minutes, ends its link, and the clique is complete without it")
    func blocking() {
        let peers = mesh.clique([2, 3])
        mesh.command(.block(peers[1].id))
        let refusal = peers[1].take().first
        #expect(refusal == .refuse(.blocked, retryAfterMilliseconds: 300_000) || refusal == .decline(.blocked))
        #expect(downs(peers[1]) == [.blocked] && peers[1].isClosed && mesh.count(.refusalsSent) == 1)
        #expect(mesh.status.peersKnown == 1 && mesh.peer(peers[1])?.state == .down)
        mesh.advertiseLinks(of: peers[0], with: [])
        #expect(mesh.status.isCliqueComplete)
        mesh.forget()
        // After the unblock the peer is missing, and is dialled at the address in its record.
        mesh.command(.unblock(peers[1].id))
        #expect(mesh.events == [.cliqueBroken] && mesh.status.peersKnown == 2)
        mesh.pass(.seconds(1))
        #expect(mesh.count(.attemptsFailed) >= 1)
    }

    @Test("a block ends dials of the peer, and closes a carrier without a HELLO without a reason")
    func blockingMeanwhile() {
        let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)
        let peer = TestIdentity.nodeID(seed: 50)
        mesh.input(.discovered(PeerHint(source: .avahi, node: peer, endpoints: [place])))
        mesh.pass(.seconds(1))
        #expect(mesh.dialled == [place])
        mesh.input(.carrierOpened(CarrierID(number: 900), peer: peer, dial: nil, remote: place))
        mesh.forget()
        mesh.command(.block(peer))
        #expect(mesh.log.count { if case .cancelDial = $0.what { true } else { false } } == 1)
        #expect(mesh.log.count { if case .carrierClose = $0.what { true } else { false } } == 1)
        #expect(mesh.count(.refusalsSent) == 0 && mesh.events.isEmpty)
        mesh.pass(.seconds(100))
        #expect(mesh.dialled.isEmpty)
    }

    @Test("1,024 peers can be blocked, and no more")
    func blockedMost() {
        for (count, isBlocked) in [(1_023, true), (1_024, false)] as [(UInt64, Bool)] {
            let mesh = ScriptedMesh { configuration in
                configuration.blocked = (0..<count).map { NodeID(words: ($0, 0, 0, 0)) }
            }
            let peer = mesh.link(2)
            mesh.command(.block(peer.id))
            #expect((mesh.peer(peer)?.state == .down) == isBlocked)
        }
    }

    @Test("after an unblock an unknown peer and a peer that has left are not dialled")
    func unblocking() {
        let peer = mesh.clique([2])[0]
        let nobody = TestIdentity.nodeID(seed: 50)
        mesh.command(.block(nobody))
        mesh.command(.unblock(nobody))
        #expect(mesh.peerSnapshot(nobody).link == nil)
        let sealing = TransparentSealing(seed: 51)
        var record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: 1) ?? .max, bootNonce: BootNonce(number: 1), sequence: 1,
            endpoints: [Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)],
            profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        for isLeaving in [true, false] {
            record.isLeaving = isLeaving
            record.sequence += 1
            mesh.command(.block(sealing.nodeID))
            mesh.say(.records([SignedRecord(signing: record, with: sealing)]), by: peer)
            mesh.command(.unblock(sealing.nodeID))
            #expect((mesh.peerSnapshot(sealing.nodeID).link == nil) == isLeaving)
        }
        mesh.pass(.seconds(1))
        #expect(mesh.dialled == record.endpoints)
    }

    // MARK: Other commands

    @Test("a probe is answered with its delay; recording, admission policy and decisions take effect")
    func others() throws {
        let mesh = ScriptedMesh { $0.admissionPolicy = .ask(known: []) }
        let guest = mesh.enter(2)
        #expect(mesh.events == [.admissionAsked(guest.id, name: SafeText("puppet"))])
        mesh.command(.decideAdmission(guest.id, isAccepted: false))
        mesh.pass(.seconds(1))
        #expect(mesh.peer(guest)?.state == .down)
        mesh.command(.setAdmissionPolicy(.open))
        let peer = mesh.link(3) { $0.latency = .milliseconds(3) }
        let slot = try #require(mesh.peer(peer)?.slot)
        mesh.forget()
        mesh.command(.probe(slot))
        mesh.pass(.milliseconds(3))
        let rtts = mesh.events.compactMap { if case .probeAnswered(slot, peer.id, let rtt) = $0 { rtt } else { nil } }
        #expect(rtts == [.milliseconds(3)])
        mesh.command(.setRecording(true))
        mesh.pass(.milliseconds(3))
        #expect(peer.bodies.last?.body.control?.flags == .recording)
        mesh.command(.setRecording(false))
        mesh.pass(.milliseconds(3))
        #expect(peer.bodies.last?.body.control?.flags == [])
    }

    @Test("a node announces itself at its start, and its digest is that of its own record")
    func start() {
        let mesh = ScriptedMesh { $0.beaconEnabled = true }
        #expect(mesh.log.count { if case .announce = $0.what { true } else { false } } == 1)
        #expect(mesh.status.digest == mesh.announced.digestTerm)
        #expect(mesh.deadline?.reason == .beacon)
        #expect(mesh.status.peersKnown == 0 && !mesh.status.isCliqueComplete)
    }
}
