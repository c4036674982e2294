import Mesh
import Primitives
import Trust
import Wire

/// The links that persons end.
extension World {
    /// Whether a person may have ended the link of the two nodes, which went down for `reason`: by a change of the code
    /// that left one of the two behind, or by refusing one of them under an admission policy other than `open`.
    func isDue(_ reason: DownReason, _ a: Int, _ b: Int) -> Bool {
        switch reason {
        case .noProof: isLeftBehind(a, by: b) || isLeftBehind(b, by: a)
        case .blocked, .declined: nodes[a].admissionPolicy != .open || nodes[b].admissionPolicy != .open
        default: false
        }
    }

    /// Whether a change of the code may have excluded the peer, so that its links end: the epoch entry that `node` has
    /// stored does not name the peer among the nodes that stay. Such a peer may have entered again by the code since,
    /// and a further change may end its links too.
    private func isLeftBehind(_ peer: Int, by node: Int) -> Bool {
        guard case .member(let mesh) = nodes[node].standing, let entry = mesh.entry else { return false }
        return !entry.entry.stay.contains(network.hosts[peer].node)
    }
}
