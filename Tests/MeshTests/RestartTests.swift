import Mesh
import Primitives
import TestKit
import Testing
import Wire

@Suite("Restarts, ghosts and twins")
struct RestartTests {
    @Test("a restart with the next instance replaces the link; the old boot's datagrams are counted")
    func restart() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        var old: [[UInt8]] = []
        cluster.tap = { from, _, bytes in if from == pair.follower { old.append(bytes) } }
        cluster.drive(for: .seconds(1))
        cluster.tap = { _, _, _ in }
        cluster.powerOff(pair.follower)
        cluster.restart(pair.follower, instance: 2)
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .milliseconds(2_500)) { pair.isUp })
        #expect(cluster.peer(pair.follower, at: pair.leader)?.instance == Instance(exactly: 2))
        #expect(
            cluster.events(pair.leader).contains {
                if case .peerDown(_, _, Instance(exactly: 1), .newerInstance) = $0 { true } else { false }
            })
        cluster.drive(for: .seconds(10))
        let before = cluster.counter(.datagramsUnknownKey, at: pair.leader)
        for bytes in old { cluster.inject(bytes, to: pair.leader, from: cluster.endpoint(of: pair.follower)) }
        #expect(cluster.counter(.datagramsUnknownKey, at: pair.leader) == before + UInt64(old.count))
    }

    @Test("a boot with a lower instance is refused and counted; it learns that its counter was rolled back")
    func rolledBack() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.kill(pair.follower)
        cluster.restart(pair.follower, instance: 5)
        cluster.discover(pair.leader, by: pair.follower)
        cluster.drive(atMost: .seconds(3)) { pair.isUp }
        cluster.kill(pair.follower)
        cluster.drive(for: .seconds(2))
        cluster.restart(pair.follower, instance: 4)
        cluster.discover(pair.leader, by: pair.follower)
        cluster.drive(for: .seconds(5))
        #expect(!pair.isUp)
        #expect(1 <= cluster.counter(.ghostHellos, at: pair.leader))
        #expect(
            cluster.events(pair.leader).contains {
                if case .ghostDropped(_, Instance(exactly: 4)) = $0 { true } else { false }
            })
        #expect(1 <= cluster.counter(.ownInstanceRolledBack, at: pair.follower))
    }

    @Test("a living twin is refused, the older link stays, and both sides say so")
    func twin() {
        let pair = MeshPair()
        let cluster = pair.cluster
        let twin = cluster.start(seed: pair.follower == 1 ? 2 : 1)
        cluster.restart(twin, instance: 1, bootNonce: 999)
        pair.discoverEachOther()
        cluster.drive(atMost: .seconds(1)) { pair.isUp }
        cluster.drive(for: .seconds(1))
        cluster.discover(pair.leader, by: twin)
        cluster.drive(for: .seconds(3))
        #expect(pair.isUp)
        let isTold = { (index: Int) in
            cluster.events(index).contains { if case .duplicateIdentity = $0 { true } else { false } }
        }
        #expect(isTold(pair.leader))
        #expect(isTold(twin))
        #expect(cluster.peer(pair.leader, at: twin)?.state != .up)
    }

    @Test("the same instance with another nonce takes over once the older boot is gone")
    func replacement() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.kill(pair.follower)
        cluster.restart(pair.follower, instance: 1)
        cluster.discover(pair.leader, by: pair.follower)
        #expect(cluster.drive(atMost: .seconds(5)) { pair.isUp })
    }
}
