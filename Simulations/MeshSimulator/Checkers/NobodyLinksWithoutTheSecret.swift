package import Primitives
package import Trust
import Wire

/// What a node is in truth: as its state folder says.
package enum TrueStanding: Hashable, Sendable {
    case open
    /// The node's newest secret of this closed mesh, and the number of its epoch. `stay`: the nodes to which this node
    /// gives that secret although they prove only the secret before it. These are the nodes that stay by the last
    /// change of the code. If this node made that change, they are also the nodes that it *keeps*: they had been left
    /// behind earlier, and had entered again.
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
                    stay: nodes.indices.filter { mesh.takesAlong(nodes[$0]) })
            case .newcomer: .newcomer
            }
    }
}

/// Judges each link that comes up at a node by the state folders of the node and of its peer. Two nodes of open meshes
/// may link. Two members of one closed mesh may link if one of these is true:
/// - they have the same secret;
/// - the node is in a lower epoch than the peer, whose message about the higher epoch may still be on its way;
/// - the peer stays by the node's epoch entry, or the node keeps it;
/// - both epochs have the same number, and the node stays by the peer's epoch entry, or the peer keeps it.
///
/// No other pair may link, so a newcomer links with nobody. It is given the secret for the code of the mesh, or for the
/// code of a pairing window: one newcomer for each window, within five minutes.
package struct NobodyLinksWithoutTheSecret: SafetyChecker {
    private struct Window {
        let node: Int
        let codeKey: [UInt8]
        let until: Instant
    }

    /// Five minutes, and the longest way of GRANT.
    private static let windowMax = Interval.seconds(303)

    private var standings: [TrueStanding]
    private var windows: [Window] = []

    package init(nodeCount: Int) { standings = Array(repeating: .open, count: nodeCount) }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .stands(let node, let standing):
            standings[node] = standing
            return nil
        case .pairingOpened(let node, let codeKey):
            windows.removeAll { $0.node == node }
            windows.append(Window(node: node, codeKey: codeKey, until: instant + Self.windowMax))
            return nil
        case .pairingClosed(let node):
            windows.removeAll { $0.node == node }
            return nil
        case .entered(let node, by: .mesh, let codeKey, let meshCodeKey):
            return codeKey == meshCodeKey ? nil : "node \(node) is given the secret for a wrong code"
        case .entered(let node, by: .pairing, let codeKey, _):
            guard let index = windows.firstIndex(where: { $0.codeKey == codeKey && instant <= $0.until }) else {
                return "node \(node) is given the secret, and no pairing window has its code"
            }
            windows.remove(at: index)
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
                && (secret == otherSecret || epoch < otherEpoch || stay.contains(b)
                    || epoch == otherEpoch && otherStay.contains(a))
        case (_, _): false
        }
    }
}
