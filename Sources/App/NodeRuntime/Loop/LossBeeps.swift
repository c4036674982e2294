package import Mesh
import Primitives
package import Voice

/// Chooses the mesh events that a listener hears as a beep: the loss of a peer that did not say good-bye, and its
/// return.
package struct LossBeeps {
    /// Peers that are lost and have not come back, at most as many as there are slots.
    private var lost: [NodeID] = []

    package init() {}

    /// The beep for an event of the mesh; nil for none.
    package mutating func beep(for event: MeshEvent) -> Beep.Kind? {
        switch event {
        case .peerDown(_, let node, _, .silent), .peerDown(_, let node, _, .keysExpired):
            lost = Array((lost.filter { $0 != node } + [node]).suffix(MeshScale.peersMax))
            return .lost
        case .peerUp(_, let node, _, _):
            guard lost.contains(node) else { return nil }
            lost.removeAll { $0 == node }
            return .returned
        default:
            return nil
        }
    }
}
