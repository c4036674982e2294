import Mesh
import Primitives
import StateStore
import Wire

/// The notes of the node about the keys of its peers.
extension NodeLoop {
    /// Notes under which name a peer was met. Tells people if that name was known under another key.
    func meetKey(_ event: MeshEvent) {
        switch event {
        case .peerUp(_, let node, _, let name): meet(node, as: name)
        case .peerProfile(let node, let profile):
            guard let known = directory.keys[node], known.name != profile.name else { return }
            meet(node, as: profile.name)
        case .peerDown(_, let node, _, _):
            // It was linked until now.
            if let known = directory.keys[node] { _ = directory.meet(node, as: known.name, linked: linkedNodes) }
        default: break
        }
    }

    private func meet(_ node: NodeID, as name: SafeText) {
        guard let rival = directory.meet(node, as: name, linked: linkedNodes) else { return }
        tell(.keyChanged(node, named: name, rival: rival))
    }

    /// peer's key, or if the peer is not linked and does not ask to be linked.
    /// The peers that are linked now.
    var linkedNodes: Set<NodeID> { Set(peers().filter(\.isHere).map(\.node)) }

    /// The key under which the name of a peer was known before; nil if there is none, or if the peer neither is here nor
    /// asks to be.
    func rival(of peer: PeerStatus) -> KnownKey? {
        guard peer.isHere || peer.request != nil else { return nil }
        return directory.keys.rival(of: peer.node, named: peer.name)
    }

    /// The name of a peer for lists, with the mark of a name that is known under another key.
    func listedName(of peer: PeerStatus) -> String {
        KeyWords.listed(directory.name(of: peer.node), isSuspect: rival(of: peer) != nil)
    }
}
