import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("When the fault is here")
struct LocalResetTests {
    private func resets(_ cluster: MeshCluster, _ index: Int) -> [Int] {
        cluster.events(index).compactMap { if case .localReset(let count) = $0 { count } else { nil } }
    }

    /// Four nodes, the first of which stood still so often that its health is at its worst.
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

    @Test("all waits end at once where everybody fails and the own health is at its worst")
    func resets() {
        let cluster = cluster(pauses: MeshLimits.healthScoreMax + 4)
        #expect(cluster.status(0).localHealth == MeshLimits.healthScoreMax)
        for other in 1..<4 { cluster.separate(0, other) }
        cluster.drive(for: .seconds(20))
        #expect(resets(cluster, 0).first.map { 2 <= $0 } == true)
        #expect(resets(cluster, 0).count == 1)
        // The healthy ones reset nothing and lose no link among themselves.
        for index in 1..<4 {
            #expect(resets(cluster, index).isEmpty)
            for other in 1..<4 where other != index { #expect(cluster.isUp(index, other)) }
        }
    }

    @Test("a healthy node that loses everybody keeps its waits")
    func keepsWaits() {
        let cluster = cluster(pauses: 0)
        for other in 1..<4 { cluster.separate(0, other) }
        cluster.drive(for: .seconds(20))
        #expect(resets(cluster, 0).isEmpty)
        #expect(cluster.counter(.localResets, at: 0) == 0)
    }
}

@Suite("Peers that come and go")
struct FlappingTests {
    @Test("after the third turn people are told no more, and once when it is steady again")
    func flapper() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        for _ in 0..<6 {
            cluster.separate(0, 1)
            cluster.drive(for: .seconds(4))
            cluster.separate(0, 1, false)
            cluster.drive(for: .seconds(4))
        }
        let told = cluster.events(0).compactMap {
            if case .peerFlapping(_, let isFlapping) = $0 { isFlapping } else { nil }
        }
        #expect(told == [true])
        #expect(cluster.peer(1, at: 0)?.isFlapping == true)
        // The turn that was one too many comes after the word that no more will be told.
        let turns = cluster.events(0).prefix { if case .peerFlapping = $0 { false } else { true } }
        #expect(turns.count { if case .peerDown = $0 { true } else { false } } == 2)
        cluster.drive(for: .seconds(70))
        #expect(pair.isUp)
        #expect(cluster.peer(1, at: 0)?.isFlapping == false)
    }
}
