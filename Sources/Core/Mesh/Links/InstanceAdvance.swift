package import Primitives
import Trust
import Wire

/// Reaction of this boot to an instance counter that was rolled back: by a state folder restored from a backup, or by
/// a machine restored from a snapshot.
///
///                 own record of a higher instance            no refusal `duplicateIdentity`
///     highest ──────────────────────────────────► waiting ──────────────────────────────► writing
///       ▲ ▲                                          │                                       │
///       │ └──────────── a duplicate lives and stays ─┘                        on disk        │
///       └────────────────────────────────────────────────────────────────────────────────────┘
///
/// Only a record with this node's own signature is proof, so that no peer can use the counter up. Another neighbour
/// may have seen a still higher instance, so a boot may advance again. `MeshNode.advances` limits the rate, so that
/// two living boots do not chase each other.
package enum InstanceAdvance: Hashable, Sendable {
    /// No higher instance of this node is known, or a living duplicate has it.
    case highest
    /// `seen` is the highest instance of this node that was seen. This boot advances beyond it at `until`, unless a
    /// duplicate is reported before.
    case waiting(seen: Instance, until: Instant)
    /// The shell writes the counter to disk.
    case writing

    package var deadline: Instant {
        if case .waiting(_, let until) = self { until } else { .distantFuture }
    }
}

extension MeshNode {
    /// Handles a signed record of this node with a higher instance, written by another boot. Only a neighbour of that
    /// boot can tell whether it still lives: that neighbour refuses this boot with `duplicateIdentity`.
    mutating func compareOwnRecord(_ record: NodeRecord, from peer: NodeID, now: Instant) {
        guard membership.own.record.instance < record.instance else { return }
        effects.count(.ownInstanceRolledBack)
        switch membership.instanceAdvance {
        case .highest:
            membership.instanceAdvance = .waiting(seen: record.instance, until: now + MeshLimits.advanceWait)
            effects.report(.refused(peer, .staleInstance))
        case .waiting(let seen, let until):
            membership.instanceAdvance = .waiting(seen: max(seen, record.instance), until: until)
        case .writing:
            break
        }
        effects.invalidateDeadlines()
    }

    /// Stops the advance: a neighbour is linked to another boot of this identity, and the older boot stays.
    mutating func reportLivingDuplicate() {
        guard case .waiting = membership.instanceAdvance else { return }
        membership.instanceAdvance = .highest
        effects.invalidateDeadlines()
    }

    mutating func requestAdvance(now: Instant) {
        guard case .waiting(let seen, let until) = membership.instanceAdvance, until <= now else { return }
        guard let higher = Instance(exactly: seen.number + 1) else {
            // All 2^48 instances are used up. The person has to make a new identity.
            membership.instanceAdvance = .highest
            return
        }
        guard membership.advances.take(now: now) else {
            membership.instanceAdvance = .waiting(seen: seen, until: membership.advances.nextToken(now: now))
            return
        }
        membership.instanceAdvance = .writing
        effects.output(.advanceInstance(higher))
    }

    /// Makes `instance`, which is on disk now, the instance of this boot. Links go on under new link ids. Peers that
    /// this node tries to reach, now or later, are dialled at once: they may have refused the old instance.
    mutating func advance(to instance: Instance, now: Instant) {
        guard case .writing = membership.instanceAdvance, membership.own.record.instance < instance else { return }
        membership.instanceAdvance = .highest
        effects.count(.instanceAdvances)
        changeOwnRecord(now: now) { $0.instance = instance }
        effects.report(.ownInstanceAdvanced(instance))
        for index in links.indices {
            links[index].session?.advance(own: instance)
            links[index].retired?.session.advance(own: instance)
            // The keys of a negotiation under way depend on the old instance.
            clearAttempt(index)
            switch links[index].state {
            case .up, .verifying:
                if links[index].renewal != .none {
                    links[index].renewal = .due(at: now)
                    // Renewals that failed because of the old instance do not count. Until a new carrier opens, the
                    // peer uses the old instance.
                    links[index].renewals = PeerLink.renewalsAtFirst
                }
            case .down(let dialAt) where dialAt == .distantFuture:
                break
            case .down, .connecting, .inviting, .awaitingInvite, .quarantined:
                setState(index, .ended(dialAt: now))
            case .awaitingDecision:
                break
            }
        }
        membership.linkAdvertisement.change(now: now)
    }

    /// Sets the higher instance of a peer's boot in every session with that boot. That includes a candidate, which
    /// would otherwise bring the old instance back when it becomes the session.
    mutating func relabel(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        func isLower(_ session: Session) -> Bool { session.bootNonce == boot && session.instance < instance }
        if let candidate = links[index].candidate, isLower(candidate) { candidate.advance(peer: instance) }
        guard let session = links[index].session, isLower(session) else { return }
        session.advance(peer: instance)
        links[index].retired?.session.advance(peer: instance)
        membership.linkAdvertisement.change(now: now)
        guard links[index].state.isLinked else { return }
        effects.report(.peerAdvanced(links[index].slot, links[index].node, instance))
    }
}
