import Foundation
package import Mesh
import NIOCore
import Node
import Primitives
package import StateStore
import SystemClock
import Wire

/// The records of the node about the keys of its peers.
extension NodeLoop {
    /// Records the name under which a linked peer was met. Tells people if that name was known under another key. Names
    /// of other nodes, which come by gossip, are not recorded.
    func recordKey(of event: MeshEvent) {
        switch event {
        case .peerUp(_, let node, _, let name):
            peerDirectory.meet(node, as: name, linked: linkedNodes)
            tellOfKey(node)
        case .peerProfile(let node, let profile):
            guard core.mesh.peer(node)?.isHere == true, peerDirectory.keys[node]?.name != profile.name else { return }
            peerDirectory.rename(node, name: profile.name)
            tellOfKey(node)
            planCheck(of: node)
        case .peerDown(_, let node, _, _):
            // It was linked until now.
            if let known = peerDirectory.keys[node] { peerDirectory.meet(node, as: known.name, linked: linkedNodes) }
        default: break
        }
    }

    /// Tells people if the name of a linked peer is known under another key.
    private func tellOfKey(_ node: NodeID) {
        guard let peer = core.mesh.peer(node), peer.isHere else { return }
        let (key, name) = (peerDirectory.keys[node], peerDirectory.keys[node]?.name ?? peer.name)
        let look = peerDirectory.keys.look(of: name, at: node)
        let hasOwnName = look == ownLook
        let rival = hasOwnName ? ownKey : peerDirectory.keys.rival(of: node, named: name)
        let warning = rival.map { KeyWarnings.Warning(look: look, rival: $0.node, trust: key?.trust) }
        switch keyWarnings.judge(warning, of: node, now: .monotonicNow()) {
        case .tell: if let rival { tell(.keyChanged(node, named: name, rival: rival, isOwnName: hasOwnName)) }
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
            self.peerDirectory.keepName(of: node)
            self.tellOfKey(node)
        }
    }

    /// The peers that are linked now.
    var linkedNodes: Set<NodeID> {
        var linked: Set<NodeID> = []
        core.mesh.visitLinks { node, state, _ in
            if state.isLinked { linked.insert(node) }
        }
        return linked
    }

    /// The look of the name of this node.
    var ownLook: String { NameLook.of(profile.name) }

    /// The key of this node, for a warning of a peer that has its name.
    private var ownKey: KnownKey {
        KnownKey(
            node: core.mesh.node, name: profile.name, seenUnixSeconds: Int64(Date().timeIntervalSince1970),
            trust: .verified)
    }

    /// The key under which the name of a peer was known before; nil if there is none. Nil also if the peer was never
    /// linked and does not ask to be. Of one that is gone, nil if the person keeps it out, or as in
    /// `KnownKeys.rivalOfGone`.
    func rival(of peer: PeerStatus) -> KnownKey? {
        if peer.isHere || peer.request != nil { return peerDirectory.keys.rival(of: peer.node, named: peer.name) }
        guard let key = peerDirectory.keys[peer.node], !isRejected(key) else { return nil }
        return peerDirectory.keys.rivalOfGone(key.node, named: peer.name)
    }

    /// The key under which the name of a known key was known before; nil if there is none, or if the person keeps the
    /// known key out. As above for one that is not linked.
    func rival(of key: KnownKey, isHere: Bool) -> KnownKey? {
        guard !isRejected(key) else { return nil }
        let keys = peerDirectory.keys
        return isHere ? keys.rival(of: key.node, named: key.name) : keys.rivalOfGone(key.node, named: key.name)
    }

    /// Whether the person has denied a known key, or has blocked its node.
    private func isRejected(_ key: KnownKey) -> Bool {
        key.trust == .denied || peerDirectory.preference(for: key.node).isBlocked
    }

    /// The peer under the name by which people know it.
    func named(_ peer: PeerStatus) -> PeerStatus { peer.named(by: peerDirectory.keys[peer.node]) }

    /// The name of a peer for lists, with the mark of a name that is known under another key.
    func listedName(of peer: PeerStatus) -> String {
        KnownKeyWords.listed(peerDirectory.name(of: peer.node), isSuspect: rival(of: peer) != nil)
    }
}

extension PeerStatus {
    /// The peer with a name. Of one that is gone, or was not here since the start, the mesh may have none: then it gets
    /// the name under which its key was met last.
    /// - Parameter key: the known key of the peer; nil if there is none.
    package func named(by key: KnownKey?) -> PeerStatus {
        guard name.isEmpty, let key else { return self }
        var peer = self
        peer.profile.name = key.name
        return peer
    }
}
