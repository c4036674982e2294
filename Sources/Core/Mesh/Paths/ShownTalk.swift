package import Primitives

/// The peers to which this node shows that it talks. Private talk is shown to nobody else.
package enum ShownTalk: Hashable, Sendable {
    case nobody
    case everybody
    case only([NodeID])

    func isShown(to peer: NodeID) -> Bool {
        switch self {
        case .nobody: false
        case .everybody: true
        case .only(let peers): peers.contains(peer)
        }
    }
}
