import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Gossip and repair")
struct RepairTests {
    private func cluster(of count: Int) -> MeshCluster {
        let cluster = MeshCluster()
        for seed in 1...count { cluster.start(seed: UInt64(seed)) }
        return cluster
    }

    private func settledClique(of count: Int) -> MeshCluster {
        let cluster = cluster(of: count)
        for index in 1..<count { cluster.discover(0, by: index) }
        cluster.drive(atMost: .seconds(5)) { isClique(cluster) }
        cluster.drive(for: .seconds(3))
        return cluster
    }

    private func isClique(_ cluster: MeshCluster) -> Bool {
        cluster.members.indices.allSatisfy {
            cluster.status($0).isCliqueComplete && cluster.status($0).peers.count == cluster.members.count - 1
        }
    }

    @Test("two nodes with a common neighbour link within 1.5 s, and report a repaired hole")
    func hole() {
        let cluster = cluster(of: 3)
        cluster.discover(1, by: 0)
        cluster.drive(atMost: .seconds(1)) { cluster.isUp(0, 1) }
        cluster.discover(1, by: 2)
        let start = cluster.now
        #expect(cluster.drive(atMost: .milliseconds(1_500)) { cluster.isUp(0, 2) }, "from \(start)")
        let repaired = [0, 2].contains { index in
            cluster.events(index).contains { if case .holeRepaired = $0 { true } else { false } }
        }
        #expect(repaired)
    }

    @Test("a chain of hints becomes a clique with equal digests and full link states", arguments: [4, 8, 16])
    func chain(_ count: Int) {
        let cluster = cluster(of: count)
        for index in 1..<count { cluster.discover(index, by: index - 1) }
        #expect(cluster.drive(atMost: .seconds(5)) { isClique(cluster) })
        cluster.drive(for: .seconds(3))
        for index in cluster.members.indices {
            let status = cluster.status(index)
            #expect(status.peersAgreeingOnDigest == count - 1)
            #expect(status.matrix.count == count)
            #expect(status.matrix.allSatisfy { $0.entries.count == count - 1 })
        }
    }

    @Test("a pair that was separated for four seconds links again within 2.5 s")
    func partedBriefly() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.separate(0, 1)
        cluster.drive(for: .seconds(4))
        #expect(!pair.isUp)
        cluster.separate(0, 1, false)
        #expect(cluster.drive(atMost: .milliseconds(2_500)) { pair.isUp })
    }

    @Test("a pair that was separated for a minute declares each other dead, and links again within ten seconds")
    func parted() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.separate(0, 1)
        cluster.drive(for: .seconds(60))
        #expect(cluster.peer(1, at: 0)?.presence.isDead == true)
        cluster.separate(0, 1, false)
        #expect(cluster.drive(atMost: .seconds(10)) { pair.isUp })
    }

    @Test(
        "halves that were separated for a minute link within 3 s; after five minutes they link within 33 s",
        arguments: [(60, 3), (67, 3), (300, 33), (333, 33)])
    func partition(apart seconds: Int64, limit: Int64) {
        let cluster = cluster(of: 8)
        for index in 1..<8 { cluster.discover(index, by: index - 1) }
        #expect(cluster.drive(atMost: .seconds(5)) { isClique(cluster) })
        let pairs = (0..<4).flatMap { one in (4..<8).map { (one, $0) } }
        for (one, other) in pairs { cluster.separate(one, other) }
        cluster.drive(for: .seconds(seconds))
        for (one, other) in pairs { cluster.separate(one, other, false) }
        #expect(
            cluster.drive(atMost: .seconds(limit)) {
                cluster.members.indices.allSatisfy { one in
                    cluster.members.indices.allSatisfy { $0 == one || cluster.isUp(one, $0) }
                }
            })
    }

    @Test("a settled clique sends no carrier frame and dials nobody")
    func quiet() {
        let cluster = settledClique(of: 6)
        let before = cluster.carrierFrames
        let dials = cluster.members.map(\.dials.count)
        cluster.drive(for: .seconds(60))
        #expect(cluster.carrierFrames == before)
        #expect(cluster.members.map(\.dials.count) == dials)
    }

    @Test("a new name reaches everyone")
    func profile() {
        let cluster = cluster(of: 3)
        cluster.discover(1, by: 0)
        cluster.discover(1, by: 2)
        cluster.drive(atMost: .seconds(3)) { isClique(cluster) }
        cluster.command(0, .setProfile(NodeProfile(name: SafeText("Ada"), role: SafeText("hearing"), colour: 0xFF)))
        cluster.drive(for: .milliseconds(300))
        for index in 1..<3 {
            #expect(cluster.peer(0, at: index)?.name == SafeText("Ada"))
            #expect(cluster.peer(0, at: index)?.profile.role == SafeText("hearing"))
        }
        #expect(
            cluster.events(2).contains {
                if case .peerProfile(_, let profile) = $0 { profile.name == SafeText("Ada") } else { false }
            })
    }

    @Test("a changed record costs a settled clique one frame for each other node")
    func changeIsCheap() {
        let cluster = settledClique(of: 6)
        let before = cluster.carrierFrames
        cluster.command(0, .setProfile(NodeProfile(name: SafeText("Ada"), role: SafeText("hearing"), colour: 0xFF)))
        cluster.drive(for: .seconds(5))
        #expect(cluster.carrierFrames - before == 5)
        #expect((1..<6).allSatisfy { cluster.peer(0, at: $0)?.name == SafeText("Ada") })
    }

    @Test("a node that leaves is down everywhere at once, is not dialled again, and is no longer known")
    func leave() {
        let cluster = cluster(of: 3)
        cluster.discover(1, by: 0)
        cluster.discover(1, by: 2)
        cluster.drive(atMost: .seconds(3)) { isClique(cluster) }
        cluster.drive(for: .seconds(1))
        cluster.command(0, .leave)
        cluster.drive(for: .milliseconds(300))
        let dials = cluster.members.map(\.dials.count)
        for index in 1..<3 {
            #expect(cluster.events(index).contains { if case .peerDown(_, _, _, .left) = $0 { true } else { false } })
            #expect(cluster.status(index).peersKnown == 1)
        }
        cluster.drive(for: .seconds(60))
        #expect(cluster.members.map(\.dials.count) == dials)
        #expect(cluster.isUp(1, 2))
        #expect(cluster.status(1).isCliqueComplete)
    }

    @Test("a peer that leaves before its first link is up is linked as soon as it comes back")
    func leaveWhileNegotiating() {
        let cluster = cluster(of: 3)
        let (leader, leaver) = cluster.id(of: 0) < cluster.id(of: 1) ? (1, 0) : (0, 1)
        // Keys are agreed, and no echo passes.
        var isAccepted = false
        cluster.dropsDatagram = { from, to, _ in from + to == 1 }
        cluster.discover(2, by: leader)
        cluster.discover(2, by: leaver)
        #expect(cluster.drive(atMost: .seconds(1)) { cluster.isUp(leader, 2) && cluster.isUp(leaver, 2) })
        cluster.dropsFrame = { frame in
            if FrameKind(of: frame) == .accept { isAccepted = true }
            return FrameKind(of: frame) == .datagram
        }
        #expect(cluster.drive(atMost: .seconds(3)) { isAccepted })
        cluster.drive(for: .milliseconds(10))
        #expect(cluster.peer(leaver, at: leader)?.state == .inviting)
        cluster.cuts = [.carriers(leaver, leader)]
        cluster.command(leaver, .leave)
        cluster.drive(for: .milliseconds(500))
        #expect(cluster.peer(leaver, at: leader)?.state == .down)
        cluster.kill(leaver)
        (cluster.cuts, cluster.dropsDatagram, cluster.dropsFrame) = ([], { _, _, _ in false }, { _ in false })
        cluster.restart(leaver, instance: 2)
        cluster.discover(leader, by: leaver)
        #expect(cluster.drive(atMost: .milliseconds(2_500)) { cluster.isUp(leader, leaver) })
    }

    @Test("a late hint of a peer that has left causes one dial, and a new boot is dialled as usual")
    func hintAfterLeave() {
        let cluster = cluster(of: 2)
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(1))
        cluster.command(0, .leave)
        cluster.drive(for: .milliseconds(300))
        cluster.powerOff(0)
        let dials = cluster.members[1].dials.count
        cluster.discover(0, by: 1)
        cluster.drive(for: .seconds(60))
        #expect(cluster.members[1].dials.count == dials + 1)
        cluster.restart(0, instance: 2)
        cluster.discover(0, by: 1)
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(0, 1) })
    }

    @Test("repeated records from a neighbour cause no new dials to a peer that cannot be reached")
    func reportedAgain() {
        let cluster = cluster(of: 4)
        let (seeker, neighbour, comer, lost) = (0, 1, 2, 3)
        for finder in [seeker, comer, lost] { cluster.discover(neighbour, by: finder) }
        for other in [seeker, comer] { cluster.separate(other, lost) }
        cluster.dropsFrame = { frame in
            if case .tunnel? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        cluster.drive(for: .seconds(90))
        #expect(cluster.peer(lost, at: seeker)?.presence.isDead == true)
        #expect(cluster.isUp(neighbour, lost) && cluster.isUp(seeker, neighbour))
        let dials = { (start: Instant, end: Instant) in
            cluster.members[seeker].dials.count {
                $0.endpoint == cluster.endpoint(of: lost) && start <= $0.at && $0.at < end
            }
        }
        let start = cluster.now
        for boot in 2...16 as ClosedRange<UInt64> {
            cluster.kill(comer)
            cluster.drive(for: .seconds(2))
            cluster.restart(comer, instance: boot)
            cluster.discover(neighbour, by: comer)
            #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(neighbour, comer) })
        }
        // The dead retry goes on as in a span of equal length before the reports. It may begin in either span.
        let end = cluster.now
        #expect(dials(start, end) <= dials(start - (end - start), start) + 1)
    }

    @Test("hints of a dead peer cause few dials while none of them succeeds")
    func hintsInVain() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.powerOff(pair.follower)
        cluster.drive(for: .seconds(20))
        #expect(cluster.peer(pair.follower, at: pair.leader)?.presence.isDead == true)
        let before = cluster.members[pair.leader].dials.count
        for _ in 0..<60 {
            cluster.discover(pair.follower, by: pair.leader)
            cluster.drive(for: .seconds(1))
        }
        #expect(cluster.members[pair.leader].dials.count - before <= 12)
        cluster.restart(pair.follower, instance: 2)
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(2)) { pair.isUp })
    }

    @Test("a follower that its leader does not dial gets a link by a connect request through a neighbour")
    func connectRequest() {
        let cluster = cluster(of: 3)
        let byID = cluster.members.indices.sorted { cluster.id(of: $0) < cluster.id(of: $1) }
        let (follower, neighbour, leader) = (byID[0], byID[1], byID[2])
        cluster.discover(neighbour, by: follower)
        cluster.discover(neighbour, by: leader)
        cluster.separate(follower, leader)
        // Tunnels are dropped: the neighbour is to bring only the connect request.
        cluster.dropsFrame = { frame in
            if case .tunnel? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        // Each fails with the other, until the leader's wait alone is longer than the bound below.
        let isWaiting = cluster.drive(atMost: .seconds(32)) {
            cluster.peer(follower, at: leader)?.retryAt.map { cluster.now + .milliseconds(4_500) < $0 } ?? false
        }
        #expect(isWaiting)
        cluster.separate(follower, leader, false)
        // Only the leader may dial, because a dial of the follower would prove nothing.
        cluster.cuts.insert(.dials(from: follower, to: leader))
        #expect(cluster.drive(atMost: .milliseconds(4_500)) { cluster.isUp(follower, leader) })
        #expect(1 <= cluster.counter(.connectRequestsDelivered, at: neighbour))
    }
}
