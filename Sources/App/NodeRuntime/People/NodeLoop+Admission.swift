import Channels
import ControlPlane
package import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Wire

/// Which nodes may link to this node: the decisions of its person, and their effects.
extension NodeLoop {
    /// Stores the person's decision about a key. A peer that waits for the decision is linked or refused at once.
    ///
    /// - Throws: `notNow` if there is no room for a further key.
    func decide(_ trust: KeyTrust, about key: NamedKey) throws(ControlFailure) {
        guard peerDirectory.decide(trust, about: key.node, named: key.name, linked: linkedNodes) else {
            throw ControlFailure(
                .notNow,
                "\(StateLimits.knownKeysMax) keys are known, each of them linked or decided about: forget one first"
            )
        }
        if core.mesh.peer(key.node)?.request != nil {
            feed(.command(.decideAdmission(key.node, isAccepted: trust.isVouchedFor)))
        }
        applyAdmission()
    }

    /// Forgets a key. A link to it ends where this node asks, or takes known keys only.
    func forget(_ key: NamedKey) {
        _ = peerDirectory.forgetKey(of: key.node)
        // A linked peer is met again, as if its link were new.
        if let peer = core.mesh.peer(key.node), peer.isHere {
            peerDirectory.meet(peer.node, as: peer.name, linked: linkedNodes)
        } else {
            peerDirectory.forgetPeer(key.node)
        }
        applyAdmission()
    }

    /// Tells the mesh which keys may link from now on, and gives them their grants. Links to others end.
    func applyAdmission() {
        feed(.command(.setAdmissionPolicy(options.admission.policy(with: peerDirectory.keys))))
        applyGrants()
        findPeersOfKeys()
    }

    /// The peers about which the person has to decide, the one that has waited longest first.
    func requests() -> [(peer: PeerStatus, request: LinkRequest)] {
        peers().compactMap { peer in peer.request.map { (peer: peer, request: $0) } }
            .sorted { $0.request.since < $1.request.since }
    }
}

extension NodeLoop {
    /// Whether the person here does not let a key in. Then a missing link is neither a fault nor a refusal by the peer.
    func keepsOut(_ node: NodeID) -> Bool { options.admission.keepsOut(node, by: peerDirectory.keys) }

    /// Whether the person here lets a node in: no further decision is needed, and the node is not blocked.
    func letsIn(_ node: NodeID) -> Bool {
        options.admission.letsIn(node, by: peerDirectory.keys) && !peerDirectory.preference(for: node).isBlocked
    }

    /// The peer as people are told of it. The mesh notes a refusal of either side in the same way, so it is not said of
    /// a peer that this node itself does not let in. If the peer has refused, this node no longer waits for a decision
    /// of the person there.
    /// - Parameter there: as `nodesThere`.
    func told(_ peer: PeerStatus, there: Set<NodeID>) -> PeerStatus {
        peer.told(isLetIn: letsIn(peer.node), isThere: there.contains(peer.node))
    }
}

extension PeerStatus {
    /// - Parameters:
    ///   - isLetIn: whether the person here lets the peer in.
    ///   - isThere: whether the peer is in the mesh (`nodesThere`). If it has said good-bye and is there again, a later
    ///     boot of it runs, which has no link yet, or refuses one. The mesh still has the presence of the former boot.
    package func told(isLetIn: Bool, isThere: Bool) -> PeerStatus {
        var peer = self
        if isThere, presence == .left { peer.presence = .unmet }
        guard failure == .refused(.notAllowed) || failure == .refused(.blocked) else { return peer }
        if !isLetIn {
            peer.failure = nil
        } else if state == .awaitingDecision {
            peer.state = .down
        }
        return peer
    }
}

extension AdmissionChoice {
    /// Whether a key may be linked without a decision of the person here.
    func letsIn(_ node: NodeID, by keys: KnownKeys) -> Bool {
        self == .open || keys[node]?.trust.isVouchedFor == true
    }

    func keepsOut(_ node: NodeID, by keys: KnownKeys) -> Bool {
        switch self {
        case .open: false
        case .ask: keys[node]?.trust == .denied
        case .known: keys[node]?.trust.isVouchedFor != true
        }
    }

    package func policy(with keys: KnownKeys) -> AdmissionPolicy {
        switch self {
        case .open: .open
        case .ask: .ask(known: keys.vouchedFor, denied: keys.denied)
        case .known: .allowList(keys.vouchedFor)
        }
    }
}

/// What peers may do at this node, by the roles of trusted peers.
extension NodeLoop {
    /// Gives peers their grants, in Core and in the mix: a peer came, has another role, or its key is trusted or no
    /// longer.
    func applyGrants() {
        let trusted = trustedRoles
        let (talk, calls) = (options.grants.ofTalk(trusted: trusted), options.grants.ofCalls(trusted: trusted))
        if core.listening.grants != talk { change { grant(talk, now: $0) } }
        if core.calls.grants != calls { change { core.grant(calls, now: $0) } }
        let former = priority
        priority = options.grants.priority.grant(trusted: trusted)
        if priority != former { mixAll() }
    }

    /// Whether all others are lowered while the peer speaks.
    func hasPriority(_ node: NodeID) -> Bool {
        peerDirectory.preference(for: node).hasPriority || priority.admits(node)
    }

    private func mixAll() {
        for peer in peers() where peer.isHere {
            if let slot = peer.slot { mix(slot, as: peerDirectory.preference(for: peer.node)) }
        }
    }

    private func grant(_ talk: TalkGrants, now: Instant) {
        do throws(ListeningRefusal) {
            try core.perform(.grant(talk), now: now)
        } catch {
            illegal("a refused grant: \(error)", in: "a node that listens")
        }
    }

    /// Applies grants if the event may change them: after this round of the loop, because the outputs of
    /// the node are being taken now.
    func applyGrants(after event: MeshEvent) {
        switch event {
        case .peerUp, .peerDown, .peerProfile: loop.execute { if !self.isLeaving { self.applyGrants() } }
        default: break
        }
    }

    private var trustedRoles: [(node: NodeID, role: SafeText)] {
        linkedNodes.filter { peerDirectory.keys[$0]?.trust.isVouchedFor == true }
            .compactMap { node in core.mesh.peer(node).map { (node: node, role: $0.profile.role) } }
    }
}
