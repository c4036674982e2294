package import Primitives
package import Trust
import Wire

/// What a node is in truth: as its state folder says.
package enum TrueStanding: Hashable, Sendable {
    case open
    /// It has this secret of this closed mesh as the newest one, in the epoch of this number. These nodes stay by the
    /// last change of the code.
    case member(MeshID, secret: [UInt8], epoch: UInt32 = 1, stay: [Int] = [])
    case newcomer

    /// - Parameter nodes: the NodeIDs of the run, by index.
    package init(_ standing: MeshStanding, among nodes: [NodeID]) {
        self =
            switch standing {
            case .open: .open
            case .member(let mesh):
                .member(
                    mesh.id, secret: mesh.grant.secret, epoch: mesh.newestKeys.number,
                    stay: nodes.indices.filter { mesh.entry?.entry.stay.contains(nodes[$0]) == true })
            case .newcomer: .newcomer
            }
    }
}

/// A member of a closed mesh is linked only with nodes that have the same secret, or that stay when the code changes. A
/// node of an open mesh is never linked with one of a closed mesh, and a newcomer with nobody. The message that a peer
/// has a higher epoch, and wants no link, may still be on its way; the peer is judged by its own side.
package struct NobodyLinksWithoutTheSecret: SafetyChecker {
    private var standings: [TrueStanding]

    package init(nodeCount: Int) { standings = Array(repeating: .open, count: nodeCount) }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .stands(let node, let standing):
            standings[node] = standing
            return nil
        case .peerUp(let observer, let peer, _, _):
            guard !mayLink(observer, peer) else { return nil }
            return "node \(observer) is linked with \(peer), which has not its secret"
        default:
            return nil
        }
    }

    private func mayLink(_ a: Int, _ b: Int) -> Bool {
        switch (standings[a], standings[b]) {
        case (.open, .open): true
        case (
            .member(let one, let secret, let epoch, let stay),
            .member(let other, let otherSecret, let otherEpoch, let otherStay)
        ):
            one == other
                && (secret == otherSecret || stay.contains(b) || otherStay.contains(a) || epoch < otherEpoch)
        case (_, _): false
        }
    }
}
