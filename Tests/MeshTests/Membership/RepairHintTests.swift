import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Who is sought because a neighbour knows it")
struct RepairHintTests {
    private let mesh = ScriptedMesh()
    private let place = Endpoint(address: IPAddress(v4: 10, 0, 0, 60), port: 7400)

    /// Of a lower NodeID than the node's, so that the node dials at once.
    private func follower(_ number: Int) -> UInt64 {
        Array((200..<300 as Range<UInt64>).filter { TestIdentity.nodeID(seed: $0) < mesh.own })[number]
    }

    private func record(
        _ seed: UInt64, instance: UInt64 = 1, boot: UInt64? = nil, sequence: UInt32 = 1, isLeaving: Bool = false,
        at other: Endpoint? = nil
    ) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max,
            bootNonce: BootNonce(number: boot ?? seed), sequence: sequence, endpoints: [other ?? place],
            name: SafeText("x"),
            role: SafeText(""), colour: 0, isLeaving: isLeaving)
        return SignedRecord(signing: record, with: sealing)
    }

    @Test("who is new is dialled where its record says that it is; its link repairs a hole")
    func newcomer() {
        let peer = mesh.clique([2])[0]
        let seed = follower(0)
        mesh.say(.records([record(seed)]), by: peer)
        #expect(mesh.dialled == [place])
        let other = mesh.link(seed)
        #expect(mesh.events.contains(.holeRepaired(other.id)))
        mesh.forget()
        // By a beacon it is no repair.
        let beacon = Beacon(mesh: "test", record: record(follower(1)))
        mesh.input(.beacon(beacon.encoded(), from: place))
        let third = mesh.link(follower(1))
        #expect(!mesh.events.contains(.holeRepaired(third.id)))
    }

    @Test("a row is a hint of whom it names where a record is known, once for each boot")
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
            mesh.say(.linkStates(row), by: peers[0])
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

    @Test("of one that is blocked a row is no hint, though it counts as met")
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

    @Test("a later record of one that is taken for dead makes it a suspect again, and it is sought")
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

    @Test("who leaves by a neighbour's word while it negotiates is down; who comes next is dialled at once")
    func leavesEarly() {
        let peer = mesh.clique([2])[0]
        let guest = mesh.enter(follower(0)) { $0.isEchoing = false }
        #expect(mesh.peer(guest)?.state == .inviting)
        mesh.say(.records([record(follower(0), sequence: 2, isLeaving: true)]), by: peer)
        #expect(mesh.peer(guest)?.state == .down && guest.isClosed && mesh.peer(guest)?.presence == .left)
        #expect(mesh.count(.attemptsFailed) == 0)
        mesh.say(.records([record(follower(0), instance: 2, boot: 9)]), by: peer)
        #expect(mesh.dialled == [place])
        // One that is only waited for is not dialled any more.
        mesh.dialFailure = .refused
        let elsewhere = Endpoint(address: IPAddress(v4: 10, 0, 0, 61), port: 7400)
        mesh.say(.records([record(follower(1), at: elsewhere)]), by: peer)
        #expect(mesh.dialled.count { $0 == elsewhere } == 1)
        mesh.say(.records([record(follower(1), sequence: 2, isLeaving: true, at: elsewhere)]), by: peer)
        mesh.pass(.seconds(60))
        #expect(mesh.dialled.count { $0 == elsewhere } == 1)
    }

    @Test("of who waits after failures a new boot is dialled at once, a new version of the same is not")
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

    @Test("64 peers have a place; a further one is counted and not sought, and who has one more record is known")
    func peersMost() {
        let peer = mesh.clique([2])[0]
        for first in stride(from: 300, to: 364, by: 16) as StrideTo<UInt64> {
            mesh.say(.records((first..<first + 16).map { record($0) }), by: peer)
        }
        #expect(mesh.status.peers.count == 64 && mesh.count(.peersTableFull) == 1 && mesh.status.peersKnown == 65)
    }

    @Test("1,024 records are kept; a further one is counted, and whoever stands at the door has a place")
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

    @Test("what beacons bring is told on 64 times at once, then twice a second")
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
        #expect(advertised() == 64)
        mesh.pass(.milliseconds(149))
        bring(70..<71)
        mesh.pass(.milliseconds(1))
        bring(71..<73)
        mesh.pass(.milliseconds(60))
        #expect(advertised() == 1)
    }
}
