package import Primitives
package import Trust
import Wire

/// What a node is in truth: as its state folder says.
package enum TrueStanding: Hashable, Sendable {
    case open
    /// It has the secret of this closed mesh.
    case member(MeshID, secret: [UInt8])
    case newcomer

    package init(_ standing: MeshStanding) {
        self =
            switch standing {
            case .open: .open
            case .member(let mesh): .member(mesh.id, secret: mesh.grant.secret)
            case .newcomer: .newcomer
            }
    }
}

/// A member of a closed mesh is linked only with nodes that have the same secret. A node of an open mesh is never
/// linked with one of a closed mesh, and a newcomer with nobody.
package struct NobodyLinksWithoutTheSecret: SafetyChecker {
    private var standings: [TrueStanding]

    package init(nodeCount: Int) { standings = Array(repeating: .open, count: nodeCount) }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .stands(let node, let standing):
            standings[node] = standing
            return nil
        case .peerUp(let observer, let peer, _, _):
            guard standings[observer] != standings[peer] || standings[observer] == .newcomer else { return nil }
            return "node \(observer) is linked with \(peer), which has not its secret"
        default:
            return nil
        }
    }
}
