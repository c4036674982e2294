import Mesh
import MeshTestKit
import Primitives
import Testing

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
