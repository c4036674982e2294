import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("Reset of all waits by a node with poor local health")
struct LocalResetTests {
    private func resets(_ cluster: MeshCluster, _ index: Int) -> [Int] {
        cluster.events(index).compactMap { if case .localReset(let count) = $0 { count } else { nil } }
    }

    /// Four nodes. The first is paused `pauses` times; enough pauses bring its local health to the worst value.
    private func cluster(pauses: Int) -> MeshCluster {
        let cluster = MeshCluster()
        for seed: UInt64 in 1...4 { cluster.start(seed: seed) }
        for a in 0..<4 { for b in 0..<4 where a != b { cluster.discover(b, by: a) } }
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.status(0).isCliqueComplete })
        cluster.drive(for: .seconds(1))
        for _ in 0..<pauses {
            cluster.pause(0, for: .milliseconds(1_600))
            cluster.input(0, .deadline)
        }
        return cluster
    }

    @Test("a node with the worst local health that reaches no peer ends all its waits at once")
    func resets() {
        let cluster = cluster(pauses: MeshLimits.healthScoreMax + 4)
        #expect(cluster.status(0).localHealth == MeshLimits.healthScoreMax)
        for other in 1..<4 { cluster.separate(0, other) }
        cluster.drive(for: .seconds(20))
        #expect(resets(cluster, 0).first.map { 2 <= $0 } == true)
        #expect(resets(cluster, 0).count == 1)
        // The healthy nodes reset nothing and keep the links among themselves.
        for index in 1..<4 {
            #expect(resets(cluster, index).isEmpty)
            for other in 1..<4 where other != index { #expect(cluster.isUp(index, other)) }
        }
    }

    @Test("a healthy node that loses all peers keeps its waits")
    func keepsWaits() {
        let cluster = cluster(pauses: 0)
        for other in 1..<4 { cluster.separate(0, other) }
        cluster.drive(for: .seconds(20))
        #expect(resets(cluster, 0).isEmpty)
        #expect(cluster.counter(.localResets, at: 0) == 0)
    }
}

@Suite("Flap damping of links")
struct FlappingTests {
    @Test("a link that flaps three times is reported as flapping once, until it is steady again")
    func flapper() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        for _ in 0..<6 {
            cluster.separate(0, 1)
            cluster.drive(for: .seconds(4))
            cluster.separate(0, 1, false)
            cluster.drive(for: .seconds(4))
        }
        let reported = cluster.events(0).compactMap {
            if case .peerFlapping(_, let isFlapping) = $0 { isFlapping } else { nil }
        }
        #expect(reported == [true])
        #expect(cluster.peer(1, at: 0)?.isFlapping == true)
        // Only the first two losses are reported before the peerFlapping event.
        let turns = cluster.events(0).prefix { if case .peerFlapping = $0 { false } else { true } }
        #expect(turns.count { if case .peerDown = $0 { true } else { false } } == 2)
        cluster.drive(for: .seconds(70))
        #expect(pair.isUp)
        #expect(cluster.peer(1, at: 0)?.isFlapping == false)
    }
}
