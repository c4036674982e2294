import Mesh
import Node
import Primitives
import StateStore
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
    /// The members that stay and are linked, each by name and short id. They need not type the code.
    package var staying: [String]
    /// The members that stay and are out of reach, each by name and short id. They are given the new secret when they
    /// return.
    package var away: [String]
    /// Those of `staying` that an earlier change had left behind, and that have come in again, each by name and short
    /// id.
    package var returned: [String]
    /// Those that stay although they are blocked at this node, each by name and short id.
    package var blocked: [String]
    /// The nodes that are left behind, by this change or by earlier ones, each by name and short id.
    package var leftBehind: [String]
    /// The nodes that stay and perhaps run on a machine that is left behind, each by name and short id. They feed
    /// programme, or this node has had no record of them since its start and cannot tell. If they do run there, leave
    /// them behind too. Empty if `leave` names nobody.
    package var unclear: [String]
}

extension CodeChangeDocument {
    /// The most nodes that a mesh can leave behind in its life.
    package static let leftBehindMax = WireLimits.epochNodesMax

    /// Call it on the node loop.
    /// - Parameter unclear: nodes that perhaps run on a machine that is left.
    init(of node: NodeLoop, epoch: UInt32, unclear: Set<NodeID>) {
        let linked = node.linkedNodes
        let kept = node.core.mesh.keptNodes
        let others = node.core.mesh.knownMembers
        mesh = MeshAccess.shown(node.core.mesh.status(now: .monotonicNow()).mesh)
        self.epoch = epoch
        func named(_ nodes: [NodeID]) -> [String] {
            nodes.map { "\(node.peerDirectory.name(of: $0)) (\($0.short))" }.sorted()
        }
        staying = named(others.filter { linked.contains($0) } + kept)
        away = named(others.filter { !linked.contains($0) })
        returned = named(kept)
        blocked = named((others + kept).filter { node.peerDirectory.preference(for: $0).isBlocked })
        leftBehind = named((node.core.mesh.epochEntry?.left ?? []).filter { !kept.contains($0) })
        self.unclear = named((others + kept).filter { unclear.contains($0) })
    }
}

/// A pairing window that is open.
package struct PairingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.pairing/1`.
    package var schema = "partyline.pairing/1"
    /// The name of the mesh.
    package var mesh: String
    /// The code, six digits, which one newcomer types at `partyline enter`.
    package var code: String
    /// Seconds until the window closes by itself.
    package var openS: Double
    /// How many failures close the window: wrong codes, and comparisons that a node broke off.
    package var tries: Int
    /// Whether it has taken the place of a window that was open, whose code is of no use any more.
    package var replaced: Bool
}
