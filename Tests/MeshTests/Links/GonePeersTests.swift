import Mesh
import MeshTestKit
import Node
import Primitives
import TestKit
import Testing

/// A node whose slots are all taken, and a newcomer.
@Suite("Slots of peers that are gone")
struct GonePeersTests {
    /// Fills the slots of node 0 with peers that nobody finds, and then tells it of one more node.
    private func crowd(_ cluster: MeshCluster) -> NodeID {
        func tell(_ seed: UInt64, _ source: PeerHint.Source) {
            let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(seed - 50)), port: 7400)
            let hint = PeerHint(source: source, node: TestIdentity.nodeID(seed: seed), endpoints: [endpoint])
            cluster.input(0, .discovered(hint))
        }
        let free = MeshScale.peersMax - (cluster.members.count - 1)
        for seed in 100..<100 + UInt64(free) { tell(seed, .remembered) }
        tell(300, .avahi)
        return TestIdentity.nodeID(seed: 300)
    }

    private func hasSlot(_ peer: NodeID, _ cluster: MeshCluster) -> Bool {
        cluster.members[0].node.mesh.peerSnapshot(of: peer, now: cluster.now).link != nil
    }

    private func isIdle(_ peer: Int, _ cluster: MeshCluster) -> Bool {
        let state = cluster.members[0].node.mesh.peerSnapshot(of: cluster.id(of: peer), now: cluster.now).link?.state
        return state == .down(dialAt: .distantFuture)
    }

    private func die(_ peer: Int, _ cluster: MeshCluster) -> Bool {
        cluster.powerOff(peer)
        return cluster.drive(atMost: .seconds(30)) {
            cluster.events(0).contains { if case .peerDead(cluster.id(of: peer), _) = $0 { true } else { false } }
        }
    }

    @Test("the newcomer gets the slot of the peer that has been gone for longest, and not the lowest slot")
    func longest() throws {
        let cluster = MeshCluster.acquainted(4)
        let slots = try [1, 2, 3].map { try #require(cluster.slot(of: $0, at: 0)) }
        let lowest = try #require([1, 2, 3].min(by: { slots[$0 - 1] < slots[$1 - 1] }))
        let other = lowest == 1 ? 2 : 1
        #expect(die(other, cluster) && die(lowest, cluster))
        #expect(cluster.drive(atMost: .seconds(60)) { isIdle(lowest, cluster) && isIdle(other, cluster) })
        let newcomer = crowd(cluster)
        #expect(hasSlot(newcomer, cluster))
        #expect(hasSlot(cluster.id(of: lowest), cluster) && !hasSlot(cluster.id(of: other), cluster))
    }

    @Test("two nodes whose slots are full of remembered peers that are gone find each other by their beacons")
    func remembering() {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...2 { cluster.start(seed: seed, beaconEnabled: true) }
        for index in 0..<2 {
            for seed in 100..<100 + UInt64(MeshScale.peersMax) {
                let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(seed)), port: 7400)
                let hint = PeerHint(source: .remembered, node: TestIdentity.nodeID(seed: seed), endpoints: [endpoint])
                cluster.input(index, .discovered(hint))
            }
        }
        #expect(cluster.drive(atMost: .seconds(30)) { cluster.isUp(0, 1) })
    }

    @Test("a peer that came and went loses its slot: its damping ends, so that its return is told")
    func damped() {
        let cluster = MeshCluster.acquainted(3)
        for _ in 0..<3 {
            for other in [0, 2] { cluster.separate(1, other) }
            cluster.drive(for: .seconds(4))
            for other in [0, 2] { cluster.separate(1, other, false) }
            cluster.drive(for: .seconds(4))
        }
        func damping() -> [Bool] {
            cluster.events(0).compactMap {
                if case .peerFlapping(cluster.id(of: 1), let isFlapping) = $0 { isFlapping } else { nil }
            }
        }
        #expect(damping() == [true])
        #expect(die(1, cluster))
        #expect(cluster.drive(atMost: .seconds(20)) { isIdle(1, cluster) } && damping() == [true])
        _ = crowd(cluster)
        #expect(!hasSlot(cluster.id(of: 1), cluster) && damping() == [true, false])
        let told = cluster.events(0).count
        cluster.restart(1, instance: 2)
        for other in [0, 2] { cluster.discover(other, by: 1) }
        #expect(cluster.drive(atMost: .seconds(20)) { cluster.isUp(0, 1) })
        #expect(cluster.events(0).dropFirst(told).contains { if case .peerUp = $0 { true } else { false } })
    }

    @Test("a dead peer that lost its slot and has one again is suspected again if it cannot be reached")
    func suspectedAgain() {
        let cluster = MeshCluster.acquainted(3)
        #expect(die(1, cluster))
        #expect(cluster.drive(atMost: .seconds(20)) { isIdle(1, cluster) })
        _ = crowd(cluster)
        #expect(!hasSlot(cluster.id(of: 1), cluster))
        // Once remembered peers have not answered, they lose their slots to others.
        cluster.drive(for: .seconds(20))
        cluster.discover(1, by: 0)
        #expect(hasSlot(cluster.id(of: 1), cluster))
        #expect(cluster.drive(atMost: .seconds(60)) { cluster.peer(1, at: 0)?.presence.suspicion?.cause == .indirect })
    }
}
