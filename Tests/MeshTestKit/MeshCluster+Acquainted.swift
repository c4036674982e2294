import Mesh
import Primitives

extension MeshCluster {
    /// Returns a cluster of nodes on one network; each has a link to each other.
    package static func acquainted(_ count: Int) -> MeshCluster {
        let cluster = MeshCluster()
        for seed in 1...UInt64(count) { cluster.start(seed: seed) }
        for a in 0..<count { for b in 0..<count where a != b { cluster.discover(b, by: a) } }
        let isClique = cluster.drive(atMost: .seconds(5)) {
            (0..<count).allSatisfy { cluster.status($0).isCliqueComplete }
        }
        precondition(isClique, "healthy nodes that know one another link")
        return cluster
    }
}
