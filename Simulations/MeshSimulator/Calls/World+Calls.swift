import Channels
import Mesh
import Trust

extension World {
    /// The calls of a node that starts: none.
    func calls(of node: Int, _ mesh: MeshConfiguration, _ sealing: any Sealing) -> Calls {
        var random = streams.calls(ofNode: node, life: network.hosts[node].life)
        return Calls(of: sealing.nodeID, grants: CallGrants(), listened: mesh.channels, seed: random.next())
    }
}
