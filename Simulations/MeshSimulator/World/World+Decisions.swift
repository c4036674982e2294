import Mesh
import Primitives
import Trust
import Wire

/// The links that persons end.
extension World {
    /// Whether a person may have ended the link of the two for this reason. The person has changed the code and left
    /// one of them behind, or has refused one of them under an admission policy other than `open`.
    func isDue(_ reason: DownReason, _ a: Int, _ b: Int) -> Bool {
        switch reason {
        case .noProof: isLeftBehind(a, by: b) || isLeftBehind(b, by: a)
        case .blocked, .declined: nodes[a].admissionPolicy != .open || nodes[b].admissionPolicy != .open
        default: false
        }
    }

    /// Whether a change of the code may leave the peer behind: the epoch entry that `node` has stored does not name it
    /// among those that stay. This includes a peer that has returned, whose links a further change may end.
    private func isLeftBehind(_ peer: Int, by node: Int) -> Bool {
        guard case .member(let mesh) = nodes[node].standing, let entry = mesh.entry else { return false }
        return !entry.entry.stay.contains(network.hosts[peer].node)
    }
}
