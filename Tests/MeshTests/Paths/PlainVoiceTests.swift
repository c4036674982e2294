import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("Agreement on voice without a codec")
struct PlainVoiceTests {
    @Test("a peer that takes plain voice is reported once, and one that does not is not reported")
    func reported() {
        let cluster = MeshCluster()
        let (a, b) = (cluster.start(seed: 1, takesPlain: true), cluster.start(seed: 2))
        cluster.discover(a, by: b)
        let isUp = cluster.drive(atMost: .seconds(5)) { cluster.isUp(a, b) && cluster.isUp(b, a) }
        #expect(isUp)
        cluster.drive(for: .seconds(5))
        #expect(cluster.members[b].plainTold.map(\.takesPlain) == [true])
        #expect(cluster.members[a].plainTold.isEmpty)
    }
}
