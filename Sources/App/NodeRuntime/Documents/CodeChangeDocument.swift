import Mesh
import Node
import Primitives
import SystemClock
import Wire

/// A change of the code that is in force.
package struct CodeChangeDocument: Codable, Hashable, Sendable {
    /// Always `partyline.code_change/1`.
    package var schema = "partyline.code_change/1"
    /// The name of the mesh.
    package var mesh: String
    /// The number of the new secret.
    package var epoch: UInt32
    /// Names of the members that stay and are linked. They need not type the code.
    package var staying: [String]
    /// Names of the members that stay and are out of reach. They are given the new secret when they return.
    package var away: [String]
    /// Names of the nodes that are left behind, by this change or by earlier ones.
    package var leftBehind: [String]
}

extension CodeChangeDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop, epoch: UInt32) {
        let linked = Set(node.peers().filter(\.state.isLinked).map(\.node))
        let others = node.core.mesh.knownMembers
        mesh = MeshAccess.shown(node.core.mesh.status(now: .monotonicNow()).mesh)
        self.epoch = epoch
        staying = others.filter { linked.contains($0) }.map(node.directory.name(of:)).sorted()
        away = others.filter { !linked.contains($0) }.map(node.directory.name(of:)).sorted()
        leftBehind = (node.core.mesh.epochEntry?.left ?? []).map(node.directory.name(of:)).sorted()
    }
}
