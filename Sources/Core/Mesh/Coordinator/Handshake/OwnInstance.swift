import Primitives
import Trust
import Wire

/// Advances of the instance: this boot, or a boot of a peer, goes on under a higher instance (`InstanceAdvance`).
/// Sessions stay, and get new link ids.
extension MeshNode {
    /// Makes `instance`, which is on disk now, the instance of this boot. Links stay up, under new link ids. A peer
    /// without a link may have refused the old instance, so an attempt under way and a wait for the next attempt both
    /// end, and the peer is dialled at once.
    mutating func advance(to instance: Instance, now: Instant) {
        guard membership.advance(to: instance, sealing: sealing, neighbours, &effects, now: now) else { return }
        for index in links.indices {
            links[index].advance(own: instance)
            // The keys of a negotiation under way depend on the old instance.
            clearAttempt(index)
            restartAttempt(index, now: now)
        }
        membership.scheduleLinkStates(now: now)
    }

    /// Lets the peer learn this node's new instance: from a new attempt, or, if the link is up and its carrier is being
    /// renewed, from the new carrier.
    private mutating func restartAttempt(_ index: Int, now: Instant) {
        switch links[index].state {
        case .up, .verifying:
            links[index].restartRenewal(now: now)
        case .down(let dialAt) where dialAt == .distantFuture:
            break
        case .down, .connecting, .inviting, .awaitingInvite:
            setState(index, .ended(dialAt: now))
        case .awaitingDecision:
            break
        }
    }

    /// Stores the higher instance of a peer's boot in every session with that boot: also in the candidate, which would
    /// otherwise bring the old instance back when it becomes the session.
    mutating func advanceBoot(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        guard links[index].advance(boot: boot, to: instance) else { return }
        membership.scheduleLinkStates(now: now)
        guard links[index].state.isLinked else { return }
        effects.report(.peerAdvanced(links[index].slot, links[index].node, instance))
    }
}
