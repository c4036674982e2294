import Mesh
import NIOCore
import Primitives
import StateStore
import SystemClock
import Wire

/// The records of the node about the keys of its peers.
extension NodeLoop {
    /// Records the name under which a linked peer was met. Tells people if that name was known under another key. Names
    /// of other nodes, which come by gossip, are not recorded.
    func recordKey(of event: MeshEvent) {
        switch event {
        case .peerUp(_, let node, _, let name):
            directory.meet(node, as: name, linked: linkedNodes)
            tellOfKey(node)
        case .peerProfile(let node, let profile):
            guard linkedNodes.contains(node), directory.keys[node]?.name != profile.name else { return }
            directory.rename(node, name: profile.name)
            tellOfKey(node)
            planCheck(of: node)
        case .peerDown(_, let node, _, _):
            // It was linked until now.
            if let known = directory.keys[node] { directory.meet(node, as: known.name, linked: linkedNodes) }
        default: break
        }
    }

    /// Tells people if the name of a linked peer is known under another key.
    private func tellOfKey(_ node: NodeID) {
        guard let peer = peers().first(where: { $0.node == node && $0.isHere }) else { return }
        let (key, name) = (directory.keys[node], directory.keys[node]?.name ?? peer.name)
        let rival = directory.keys.rival(of: node, named: name)
        let warning = rival.map { KeyWarnings.Warning(look: NameLook.of(name), rival: $0.node, trust: key?.trust) }
        switch keyWarnings.judge(warning, of: node, now: .monotonicNow()) {
        case .tell: if let rival { tell(.keyChanged(node, named: name, rival: rival)) }
        case .withhold: planCheck(of: node)
        case .nothing: break
        }
    }

    private func planCheck(of node: NodeID) {
        let now = Instant.monotonicNow()
        guard let at = keyWarnings.planCheck(of: node, now: now) else { return }
        loop.scheduleTask(in: .nanoseconds((at - now).nanoseconds)) {
            self.keyWarnings.beginCheck(of: node, now: .monotonicNow())
            guard !self.isLeaving else { return }
            self.directory.keepName(of: node)
            self.tellOfKey(node)
        }
    }

    /// The peers that are linked now.
    var linkedNodes: Set<NodeID> { Set(peers().filter(\.isHere).map(\.node)) }

    /// The key under which the name of a peer was known before; nil if there is none, or if the peer is not linked
    /// and does not ask to be linked.
    func rival(of peer: PeerStatus) -> KnownKey? {
        guard peer.isHere || peer.request != nil else { return nil }
        return directory.keys.rival(of: peer.node, named: peer.name)
    }

    /// The name of a peer for lists, with the mark of a name that is known under another key.
    func listedName(of peer: PeerStatus) -> String {
        KnownKeyWords.listed(directory.name(of: peer.node), isSuspect: rival(of: peer) != nil)
    }
}
