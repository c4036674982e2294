import Channels
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Wire

/// What peers may do at this node, by the roles of trusted peers.
extension NodeLoop {
    /// Tells Core who has a grant now: a peer came, has another role, or its key is trusted or no longer.
    func applyGrants() {
        let trusted = trustedRoles
        let (talk, calls) = (options.grants.ofTalk(trusted: trusted), options.grants.ofCalls(trusted: trusted))
        if core.listening.grants != talk { change { grant(talk, now: $0) } }
        if core.calls.grants != calls { change { core.grant(calls, now: $0) } }
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
