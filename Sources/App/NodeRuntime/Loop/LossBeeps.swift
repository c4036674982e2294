package import Mesh
import Primitives
package import Voice

/// Which events of the mesh a listener hears as a beep: a peer lost without a word, and its return.
package struct LossBeeps {
    /// Bounded as the slots are: only who had one can be lost.
    private var lost: [NodeID] = []

    package init() {}

    /// The beep that an event of the mesh asks for; nil for none.
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
