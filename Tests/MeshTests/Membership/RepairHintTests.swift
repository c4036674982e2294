import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Peers that are wanted because a neighbour knows them")
struct RepairHintTests {
    private let mesh = ScriptedMesh()
    private let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)

    /// A seed whose NodeID is lower than the node's, so that the node dials at once.
    private func follower(_ number: Int) -> UInt64 {
        Array((200..<300 as Range<UInt64>).filter { TestIdentity.nodeID(seed: $0) < mesh.own })[number]
    }

    /// A seed whose NodeID is higher than the node's, so that the node follows.
    private var leader: UInt64 {
        (200..<300 as Range<UInt64>).first { mesh.own < TestIdentity.nodeID(seed: $0) } ?? 0
    }

    private func record(
        _ seed: UInt64, instance: UInt64 = 1, boot: UInt64? = nil, sequence: UInt32 = 1, isLeaving: Bool = false,
        at other: Endpoint? = nil
    ) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max,
            bootNonce: BootNonce(number: boot ?? seed), sequence: sequence, endpoints: [other ?? place],
            profile: NodeProfile(name: SafeText("x")), isLeaving: isLeaving)
        return SignedRecord(signing: record, with: sealing)
    }

    @Test("a newly known node is dialled at the address in its record, and its link repairs a hole")
    func newcomer() {
        let peer = mesh.clique([2])[0]
        let seed = follower(0)
        mesh.say(.records([record(seed)]), by: peer)
        #expect(mesh.dialled == [place])
        let other = mesh.link(seed)
        #expect(mesh.events.contains(.holeRepaired(other.id)))
        mesh.forget()
        // A node that was found by beacon repairs no hole.
        let beacon = Beacon(mesh: "test", record: record(follower(1)))
        mesh.input(.beacon(beacon.encoded(), from: place))
        let third = mesh.link(follower(1))
        #expect(!mesh.events.contains(.holeRepaired(third.id)))
    }

    @Test("link states are a hint of the peers in them, if their records are known, once for each boot")
    func rows() {
        let peers = mesh.clique([2, 3])
        mesh.dialFailure = .refused
        let seed = follower(0)
        let lost = mesh.link(seed) { $0.record.endpoints = [place] }
        mesh.pass(.seconds(1))
        lost.routes = { _ in false }
        for peer in peers { mesh.advertiseLinks(of: peer, with: []) }
        mesh.pass(.seconds(120))
        #expect(mesh.peer(lost)?.presence.isDead == true)
        func dials(_ row: [AdvertisedLink]) -> Int {
            while mesh.peer(lost)?.state != .down { mesh.pass(.milliseconds(10)) }
            mesh.log = []
            mesh.advertise(row, by: peers[0])
            return mesh.dialled.count
        }
        let (own, entry) = (ScriptedMesh.entry(mesh.own), ScriptedMesh.entry(lost.id))
        let stranger = ScriptedMesh.entry(TestIdentity.nodeID(seed: 400))
        #expect(dials([own, stranger]) == 0 && mesh.peerSnapshot(stranger.peer).link == nil)
        #expect(dials([own, entry]) == 1)
        #expect(mesh.peerSnapshot(lost.id).known?.seenAt == mesh.now)
        mesh.pass(.seconds(40))
        #expect(dials([own, entry, stranger]) == 0)
        mesh.pass(.seconds(40))
        #expect(dials([own, ScriptedMesh.entry(lost.id, instance: 2)]) == 1)
        mesh.pass(.seconds(60))
        #expect(dials([own]) == 0)
        #expect(dials([own, entry]) == 1)
    }

    @Test("link states are no hint of a blocked peer, but mark it as seen")
    func blocked() {
        let peer = mesh.clique([2])[0]
        let seed = follower(0)
        let node = TestIdentity.nodeID(seed: seed)
        mesh.command(.block(node))
        mesh.say(.records([record(seed)]), by: peer)
        mesh.advertiseLinks(of: peer, with: [node])
        #expect(mesh.dialled.isEmpty && mesh.peerSnapshot(node).link == nil)
        #expect(mesh.peerSnapshot(node).known?.seenAt == mesh.now)
    }

    @Test("link states of an earlier session mark nobody as seen; the first ones of the new session do")
    func earlierSession() throws {
        let peer = mesh.clique([2])[0]
        mesh.dialFailure = .refused
        let node = TestIdentity.nodeID(seed: follower(0))
        mesh.say(.records([record(follower(0))]), by: peer)
        mesh.advertiseLinks(of: peer, with: [node])
        let seen = try #require(mesh.peerSnapshot(node).known?.seenAt)
        #expect(seen == mesh.now)
        peer.routes = { _ in false }
        mesh.pass(.seconds(3))
        #expect(mesh.peer(peer)?.presence.suspicion?.cause == .silence)
        mesh.input(.resumed(gap: .seconds(3_600), slept: .seconds(3_600)))
        // The same boot links again. Its first link states are the same as before the sleep.
        let back = mesh.link(2)
        #expect(mesh.peerSnapshot(node).known?.seenAt == seen - .seconds(3_600))
        #expect(mesh.peerSnapshot(node).known?.isCurrent == false)
        mesh.advertiseLinks(of: back, with: [node])
        #expect(mesh.peerSnapshot(node).known?.seenAt == mesh.now)
    }

    @Test("a later record of a dead peer makes it a suspect, and a record of leaving makes it left")
    func deadReturns() {
        let peer = mesh.clique([2])[0]
        let lost = mesh.link(follower(0)) { $0.record.endpoints = [place] }
        mesh.pass(.seconds(1))
        lost.routes = { _ in false }
        mesh.advertiseLinks(of: peer, with: [])
        mesh.pass(.seconds(30))
        #expect(mesh.peer(lost)?.presence.isDead == true && mesh.status.peersKnown == 1)
        mesh.say(.records([record(follower(0), sequence: 9)]), by: peer)
        #expect(mesh.peer(lost)?.presence.suspicion?.cause == .indirect && mesh.status.peersKnown == 2)
        mesh.pass(.seconds(300))
        #expect(mesh.peer(lost)?.presence.isDead == true)
        mesh.say(.records([record(follower(0), sequence: 10, isLeaving: true)]), by: peer)
        #expect(mesh.peer(lost)?.presence == .left)
    }

    @Test("a peer that has left is suspected and then dead if its next boot cannot be reached")
    func leftUnreached() {
        let peer = mesh.clique([2])[0]
        let guest = mesh.link(follower(0)) { $0.record.endpoints = [place] }
        mesh.dialFailure = .refused
        mesh.say(.records([record(follower(0), sequence: 2, isLeaving: true)]), by: peer)
        #expect(mesh.peer(guest)?.presence == .left && mesh.status.peersKnown == 1)
        mesh.say(.records([record(follower(0), instance: 2, boot: 9)]), by: peer)
        #expect(mesh.peer(guest)?.presence.suspicion?.cause == .indirect && mesh.status.peersKnown == 2)
        mesh.pass(.seconds(5))
        #expect(mesh.peer(guest)?.presence.isDead == true && mesh.status.peersKnown == 1)
        #expect(!mesh.events.contains { if case .peerDead = $0 { true } else { false } })
    }

    @Test("a peer that leaves by record during a negotiation is down, and its next boot is dialled at once")
    func leavesEarly() {
        let peer = mesh.clique([2])[0]
        let guest = mesh.enter(follower(0)) { $0.isEchoing = false }
        #expect(mesh.peer(guest)?.state == .inviting)
        mesh.say(.records([record(follower(0), sequence: 2, isLeaving: true)]), by: peer)
        #expect(mesh.peer(guest)?.state == .down && guest.isClosed && mesh.peer(guest)?.presence == .left)
        #expect(mesh.count(.attemptsFailed) == 0)
        mesh.say(.records([record(follower(0), instance: 2, boot: 9)]), by: peer)
        #expect(mesh.dialled == [place])
        // A peer that is only wanted is not dialled again after its record of leaving.
        mesh.dialFailure = .refused
        let elsewhere = Endpoint(address: IPAddress(v4: 10, 0, 0, 61), port: 7400)
        mesh.say(.records([record(follower(1), at: elsewhere)]), by: peer)
        #expect(mesh.dialled.count { $0 == elsewhere } == 1)
        mesh.say(.records([record(follower(1), sequence: 2, isLeaving: true, at: elsewhere)]), by: peer)
        mesh.pass(.seconds(60))
        #expect(mesh.dialled.count { $0 == elsewhere } == 1)
    }

    @Test(
        "while a peer waits after a failure its new boot is dialled at once, and a new version of the same boot is not")
    func newBoot() {
        let peer = mesh.clique([2])[0]
        mesh.dialFailure = .refused
        mesh.say(.records([record(follower(0))]), by: peer)
        #expect(mesh.dialled.count == 1)
        mesh.say(.records([record(follower(0), sequence: 2)]), by: peer)
        #expect(mesh.dialled.count == 1)
        mesh.say(.records([record(follower(0), instance: 2, boot: 9)]), by: peer)
        #expect(mesh.dialled.count == 2)
    }

    @Test("64 peers have a slot; the next one is counted and not wanted, and its record is kept")
    func peersMost() {
        let peer = mesh.clique([2])[0]
        for first in stride(from: 300, to: 364, by: 16) as StrideTo<UInt64> {
            mesh.say(.records((first..<first + 16).map { record($0) }), by: peer)
        }
        #expect(mesh.status.peers.count == 64 && mesh.count(.peersTableFull) == 1 && mesh.status.peersKnown == 65)
    }

    @Test("the node keeps 1,024 records and counts further ones; a peer that connects still gets a place")
    func recordsMost() {
        let mesh = ScriptedMesh()
        for number: UInt64 in 0..<1_030 {
            let source = Endpoint(
                address: IPAddress(v4: 10, 0, UInt8(1 + number / 250), UInt8(number % 250)), port: 7400)
            let stranger = Beacon(mesh: "test", record: TestIdentity.record(seed: 1_000 + number))
            mesh.input(.beacon(stranger.encoded(), from: source))
            mesh.pass(.milliseconds(5))
        }
        #expect(mesh.count(.recordsTableFull) == 6 && mesh.count(.beaconsOverRate) == 0)
        _ = mesh.link(2)
        #expect(mesh.count(.recordsTableFull) == 6)
    }

    @Test("neighbours of the leader take turns in bringing connect requests, and a new neighbour shortens the wait")
    func turnsOfConnectRequests() {
        let peers = mesh.clique([2, 3, 4, 5])
        mesh.dialFailure = .refused
        let node = TestIdentity.nodeID(seed: leader)
        var next: Instant? { mesh.peerSnapshot(node).link?.nextConnectRequestAt }
        mesh.say(.records([record(leader)]), by: peers[0])
        for peer in peers.prefix(3) { mesh.advertiseLinks(of: peer, with: [node]) }
        mesh.pass(.seconds(16))
        let brought = peers.map { peer in
            peer.take().count { if case .connectRequest = $0 { true } else { false } }
        }
        #expect(brought.prefix(3).allSatisfy { 0 < $0 } && brought[3] == 0, "\(brought)")
        #expect(next.map { mesh.now + .seconds(5) < $0 } == true, "the wait has grown")
        mesh.advertiseLinks(of: peers[3], with: [node])
        #expect(next == mesh.now + .seconds(2))
    }

    @Test("of unknown nodes that beacons bring, 64 at once are passed on, and then one in six seconds")
    func beaconNews() {
        let peer = mesh.clique([2])[0]
        func bring(_ numbers: Range<UInt64>) {
            for number in numbers {
                let source = Endpoint(address: IPAddress(v4: 10, 0, 1, UInt8(number % 250)), port: 7400)
                let stranger = Beacon(mesh: "test", record: TestIdentity.record(seed: 1_000 + number))
                mesh.input(.beacon(stranger.encoded(), from: source))
            }
        }
        func advertised() -> Int {
            peer.take().reduce(0) { if case .records(let records) = $1 { $0 + records.count } else { $0 } }
        }
        bring(0..<60)
        mesh.pass(.milliseconds(150))
        bring(60..<70)
        mesh.pass(.milliseconds(200))
        // The peer itself is one of 64.
        #expect(advertised() == 63)
        let digest = mesh.status.digest
        bring(70..<73)
        mesh.pass(.milliseconds(500))
        #expect(advertised() == 0 && mesh.status.digest == digest)
    }
}
