import Mesh
import MeshTestKit
import Node
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Connect requests")
struct ConnectRequestTests {
    /// A leader with one neighbour. The test sends any frame over the neighbour's carrier.
    private final class House {
        let cluster = MeshCluster()
        let carrier: CarrierID

        /// Node 0 is greater than any guest, so it would invite each of them.
        init() throws {
            let cluster = cluster
            cluster.start(seed: ConnectRequestTests.greatest)
            cluster.start(seed: ConnectRequestTests.guests[0])
            cluster.discover(0, by: 1)
            cluster.drive(atMost: .seconds(2)) { cluster.isUp(0, 1) }
            cluster.drive(for: .seconds(1))
            carrier = try #require(cluster.firstCarrier(of: 0))
        }

        var leader: NodeID { cluster.id(of: 0) }

        func bring(_ connectRequest: SignedConnectRequest) {
            cluster.input(0, .carrierFrame(carrier, CarrierMessage.connectRequest(connectRequest).encoded()))
        }

        func bring(of seed: UInt64, instance: UInt64 = 1, sequence: UInt32 = 1) {
            bring(ConnectRequestTests.connectRequest(of: seed, at: leader, instance: instance, sequence: sequence))
        }

        func peerSnapshot(_ seed: UInt64) -> PeerSnapshot {
            cluster.members[0].node.mesh.peerSnapshot(of: TestIdentity.nodeID(seed: seed), now: cluster.now)
        }

        /// The counters of connect requests, in the order of `counters`.
        var counts: [UInt64] { counters.map { cluster.counter($0, at: 0) } }
        let counters: [MeshCounter] = [
            .connectRequestsForged, .connectRequestsReplayed, .connectRequestsOverRate, .connectRequestsUndeliverable,
            .connectRequestsDelivered, .ghostConnectRequests,
            .recordsNewOverLimit, .framesUnexpected,
        ]
        /// All of them are zero but one.
        func isCounted(_ counter: MeshCounter?, _ count: UInt64 = 1) -> Bool {
            counts == counters.map { $0 == counter ? count : 0 }
        }
    }

    fileprivate static let byID = (1...90 as ClosedRange<UInt64>).sorted {
        TestIdentity.nodeID(seed: $0) < TestIdentity.nodeID(seed: $1)
    }
    fileprivate static let greatest = byID[89]
    fileprivate static let guests = Array(byID.prefix(88))

    fileprivate static func connectRequest(
        of seed: UInt64, at leader: NodeID, instance: UInt64 = 1, sequence: UInt32 = 1
    ) -> SignedConnectRequest {
        let record = FindingBench.record(of: seed, instance: instance, at: [FindingBench.at(99)])
        return SignedConnectRequest(from: record, to: leader, sequence: sequence, with: TransparentSealing(seed: seed))
    }

    private let guest = ConnectRequestTests.guests[1]

    @Test("a new one makes its sender known and dialled, and a repeated one does nothing")
    func accepted() throws {
        let house = try House()
        #expect(house.isCounted(nil))
        house.bring(of: guest, sequence: 5)
        #expect(house.cluster.members[0].dials.last?.endpoint == FindingBench.at(99))
        #expect(house.peerSnapshot(guest).known != nil && house.peerSnapshot(guest).link?.state.isLinked == false)
        #expect(house.peerSnapshot(guest).link?.wantedUntil == house.cluster.now + .seconds(600))
        #expect(house.isCounted(nil))
        house.bring(of: guest, sequence: 5)
        house.bring(of: guest, sequence: 4)
        #expect(house.isCounted(.connectRequestsReplayed, 2))
    }

    @Test("one ends the wait after a failure, at most once in two seconds")
    func cut() throws {
        let house = try House()
        house.bring(of: guest)
        house.cluster.drive(for: .seconds(3))
        let before = house.cluster.members[0].dials.count
        house.bring(of: guest, sequence: 2)
        house.cluster.drive(for: .milliseconds(10))
        house.bring(of: guest, sequence: 3)
        #expect(house.cluster.members[0].dials.count == before + 1)
        #expect(house.cluster.counter(.cooldownsCut, at: 0) == 1 && house.isCounted(nil))
    }

    @Test("forged ones, the node's own and those of blocked peers are counted and ignored")
    func forged() throws {
        for place in 0..<3 {
            let house = try House()
            var connectRequest = ConnectRequestTests.connectRequest(
                of: place == 1 ? ConnectRequestTests.greatest : guest, at: house.leader, instance: 7)
            if place == 0 { connectRequest.signature[0] ^= 1 }
            if place == 2 { house.cluster.command(0, .block(TestIdentity.nodeID(seed: guest))) }
            house.bring(connectRequest)
            #expect(house.isCounted(.connectRequestsForged), "\(place)")
            #expect(house.peerSnapshot(guest).known == nil)
        }
    }

    @Test("those of an older boot are ghosts")
    func ghosts() throws {
        let house = try House()
        house.bring(of: guest, instance: 3)
        house.bring(of: guest, instance: 2, sequence: 9)
        #expect(house.isCounted(.ghostConnectRequests))
    }

    @Test("a follower ignores its leader's request, because the leader invites by itself")
    func ofLeader() throws {
        let pair = MeshPair.linked()
        let carrier = try #require(pair.cluster.firstCarrier(of: pair.follower))
        let seed = try #require((3...40).first { pair.cluster.id(of: pair.follower) < TestIdentity.nodeID(seed: $0) })
        let connectRequest = ConnectRequestTests.connectRequest(of: seed, at: pair.cluster.id(of: pair.follower))
        pair.cluster.input(
            pair.follower, .carrierFrame(carrier, CarrierMessage.connectRequest(connectRequest).encoded()))
        let node = TestIdentity.nodeID(seed: seed)
        let peerSnapshot = pair.cluster.members[pair.follower].node.mesh.peerSnapshot(of: node, now: pair.cluster.now)
        #expect(peerSnapshot.known == nil && peerSnapshot.link == nil)
    }

    @Test("a neighbour brings 64 from unknown peers at once, and 128 that cost a signature check")
    func limits() throws {
        let house = try House()
        for seed in ConnectRequestTests.guests[1...64] { house.bring(of: seed) }
        #expect(house.isCounted(nil))
        house.bring(of: ConnectRequestTests.guests[65])
        #expect(house.isCounted(.recordsNewOverLimit))
        // A known peer may send further requests. The one that was refused has cost no check.
        for sequence: UInt32 in 2..<66 { house.bring(of: guest, sequence: sequence) }
        #expect(house.isCounted(.recordsNewOverLimit))
        house.bring(of: guest, sequence: 66)
        #expect(house.cluster.counter(.connectRequestsOverRate, at: 0) == 1)
    }

    @Test("one that leads to a link is reported as a repaired hole")
    func mended() throws {
        let house = try House()
        let cluster = house.cluster
        let index = cluster.start(seed: guest)
        let record = OwnRecord(cluster.members[index].configuration, sealing: cluster.members[index].sealing).signed
        house.bring(
            SignedConnectRequest(from: record, to: house.leader, sequence: 1, with: TransparentSealing(seed: guest)))
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, index) })
        #expect(cluster.events(0).contains(.holeRepaired(TestIdentity.nodeID(seed: guest))))
        // A request of a linked peer repairs no hole.
        cluster.drive(for: .seconds(1))
        house.bring(
            SignedConnectRequest(from: record, to: house.leader, sequence: 2, with: TransparentSealing(seed: guest)))
        cluster.resetCarriers(0, index)
        cluster.drive(for: .seconds(5))
        #expect(cluster.events(0).count { $0 == .holeRepaired(TestIdentity.nodeID(seed: guest)) } == 1)
    }

    // MARK: At the neighbour

    @Test("are forwarded to a leader that is linked here, from their own sender only, 16 at once")
    func brought() throws {
        let house = try House()
        let neighbour = ConnectRequestTests.guests[0]
        house.bring(
            ConnectRequestTests.connectRequest(
                of: neighbour, at: TestIdentity.nodeID(seed: ConnectRequestTests.guests[80])))
        #expect(house.isCounted(.connectRequestsUndeliverable))
        let third = house.cluster.start(seed: ConnectRequestTests.guests[5])
        house.cluster.discover(0, by: third)
        #expect(house.cluster.drive(atMost: .seconds(2)) { house.cluster.isUp(0, third) })
        let leader = house.cluster.id(of: third)
        house.bring(ConnectRequestTests.connectRequest(of: guest, at: leader))
        #expect(house.isCounted(.connectRequestsUndeliverable, 2))
        let frames = house.cluster.carrierFrames
        for sequence: UInt32 in 1...16 {
            house.bring(ConnectRequestTests.connectRequest(of: neighbour, at: leader, sequence: sequence))
        }
        #expect(
            house.cluster.counter(.connectRequestsDelivered, at: 0) == 16 && house.cluster.carrierFrames == frames + 16)
        #expect(house.cluster.counter(.connectRequestsOverRate, at: 0) == 0)
        house.bring(ConnectRequestTests.connectRequest(of: neighbour, at: leader, sequence: 17))
        #expect(
            house.cluster.counter(.connectRequestsOverRate, at: 0) == 1 && house.cluster.carrierFrames == frames + 16)
    }

    /// The connect requests of a follower that cannot reach its leader, beside `count` neighbours of both.
    private func connectRequestsSent(
        neighbours count: Int, prepare: (MeshCluster) -> Void = { _ in }, for duration: Interval
    ) -> (sent: [UInt32], cluster: MeshCluster) {
        let cluster = MeshCluster()
        let seeds =
            [ConnectRequestTests.greatest, ConnectRequestTests.guests[40]] + ConnectRequestTests.guests[50..<50 + count]
        for seed in seeds { cluster.start(seed: seed) }
        cluster.separate(0, 1)
        var sent: [UInt32] = []
        cluster.dropsFrame = { frame in
            guard let message = try? CarrierMessage(parsing: frame, isBeforeHello: false) else { return false }
            if case .connectRequest(let connectRequest) = message { sent.append(connectRequest.sequence) }
            // Tunnels are dropped.
            if case .tunnel = message { return true }
            return false
        }
        prepare(cluster)
        for neighbour in 2..<2 + count { for end in 0...1 { cluster.discover(neighbour, by: end) } }
        cluster.drive(for: duration)
        return (sent, cluster)
    }

    @Test("go to at most two common neighbours, with rising numbers")
    func sent() {
        let (two, _) = connectRequestsSent(neighbours: 4, for: .seconds(10))
        // The follower sends each request to two neighbours, and each of them forwards it to the leader.
        #expect(8 <= two.count && two == two.sorted())
        #expect(Dictionary(grouping: two) { $0 }.values.allSatisfy { $0.count == 4 })
        let (later, _) = connectRequestsSent(neighbours: 1, for: .seconds(20))
        #expect((3...5).contains(Set(later).count), "at 0, 2, 6 and 14 s after the first failure: \(later)")
        let (none, _) = connectRequestsSent(neighbours: 0, for: .seconds(5))
        #expect(none.isEmpty)
        // The neighbour is linked with the follower only.
        let (inVain, cluster) = connectRequestsSent(neighbours: 1, prepare: { $0.separate(0, 2) }, for: .zero)
        cluster.discover(0, by: 1)
        cluster.drive(for: .seconds(5))
        #expect(cluster.isUp(1, 2) && inVain.isEmpty && cluster.counter(.connectRequestsUndeliverable, at: 2) == 0)
    }

    @Test("go to no neighbour whose link is down, although its carrier is open")
    func noNeighbour() {
        let (before, cluster) = connectRequestsSent(neighbours: 1, for: .seconds(5))
        #expect(!before.isEmpty)
        var late: [Instant] = []
        for end in 0...1 { cluster.cuts.formUnion([.datagrams(from: end, to: 2), .datagrams(from: 2, to: end)]) }
        let start = cluster.now
        cluster.dropsFrame = { frame in
            if case .connectRequest? = try? CarrierMessage(parsing: frame, isBeforeHello: false) {
                late.append(cluster.now)
            }
            return true
        }
        cluster.drive(for: .milliseconds(2_500))
        #expect(cluster.peer(2, at: 1)?.state.rawValue != "up" && cluster.peer(2, at: 1)?.hasCarrier == true)
        cluster.drive(for: .milliseconds(3_500))
        #expect(late.allSatisfy { $0 < start + .milliseconds(2_500) })
    }

    @Test("end when the leader is no longer wanted")
    func end() throws {
        for (early, connectRequests) in [(1, 1), (0, 0)] as [(Int64, Int)] {
            let bench = FindingBench()
            let leader = FindingBench.leading[0]
            bench.answer = { .dialFailed($0.id, .refused) }
            bench.hint(leader, [FindingBench.at(9)])
            let until = try #require(bench.peerSnapshot(leader).link?.wantedUntil)
            bench.drive(for: .seconds(598))
            let before = try #require(bench.peerSnapshot(leader).link?.connectRequests)
            #expect(30 < before)
            let next = try #require(bench.peerSnapshot(leader).link?.nextConnectRequestAt)
            #expect(next <= until)
            bench.wait(until: until - Interval(nanoseconds: early))
            bench.input(.deadline)
            #expect(bench.peerSnapshot(leader).link?.connectRequests == (before + 1) * connectRequests)
        }
    }
}
