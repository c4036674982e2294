import Mesh

extension MeshCluster {
    /// Whether the node has no link to the peer: it is neither up nor verifying.
    package func isDown(_ peer: Int, at index: Int) -> Bool {
        self.peer(peer, at: index).map { $0.state != .up && $0.state != .verifying } ?? true
    }
}
