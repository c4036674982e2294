import Primitives
import Trust
import Wire

/// The instance of this boot rises (`InstanceAdvance`), or that of a peer's boot. Sessions go on under new link ids.
extension MeshNode {
    /// Makes `instance`, which is on disk now, the instance of this boot. Links go on under new link ids. Peers that
    /// this node tries to reach, now or later, are dialled at once: they may have refused the old instance.
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

    /// Lets the peer learn the new instance: by a new attempt, or by a new carrier where one is wanted.
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

    /// Sets the higher instance of a peer's boot in every session with that boot. That includes a candidate, which
    /// would otherwise bring the old instance back when it becomes the session.
    mutating func advanceBoot(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        guard links[index].advance(boot: boot, to: instance) else { return }
        membership.scheduleLinkStates(now: now)
        guard links[index].state.isLinked else { return }
        effects.report(.peerAdvanced(links[index].slot, links[index].node, instance))
    }
}
