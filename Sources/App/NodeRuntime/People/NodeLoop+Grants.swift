import Channels
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Wire

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
    func hasPriority(_ node: NodeID) -> Bool { directory.preference(for: node).hasPriority || priority.admits(node) }

    private func mixAll() {
        for peer in peers() where peer.isHere {
            if let slot = peer.slot { mix(slot, as: directory.preference(for: peer.node)) }
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
        peers().filter { $0.isHere && directory.keys[$0.node]?.trust.isVouchedFor == true }
            .map { ($0.node, $0.profile.role) }
    }
}
