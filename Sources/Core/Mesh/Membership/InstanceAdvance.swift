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
/// may have seen a still higher instance, so a boot may advance again. `Membership.advances` limits the rate, so that
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

extension Membership {
    /// Handles a signed record of this node with a higher instance, written by another boot. Only a neighbour of that
    /// boot can tell whether it still lives: that neighbour refuses this boot with `duplicateIdentity`.
    mutating func compareOwnRecord(
        _ record: NodeRecord, from peer: NodeID, _ effects: inout Effects, now: Instant
    ) {
        guard own.record.instance < record.instance else { return }
        effects.count(.ownInstanceRolledBack)
        switch instanceAdvance {
        case .highest:
            instanceAdvance = .waiting(seen: record.instance, until: now + MeshLimits.advanceWait)
            effects.report(.refused(peer, .staleInstance))
        case .waiting(let seen, let until):
            instanceAdvance = .waiting(seen: max(seen, record.instance), until: until)
        case .writing:
            break
        }
        effects.invalidateDeadlines()
    }

    /// Stops the advance: a neighbour is linked to another boot of this identity, and the older boot stays.
    mutating func stopAdvance(_ effects: inout Effects) {
        guard case .waiting = instanceAdvance else { return }
        instanceAdvance = .highest
        effects.invalidateDeadlines()
    }

    mutating func requestAdvance(_ effects: inout Effects, now: Instant) {
        guard case .waiting(let seen, let until) = instanceAdvance, until <= now else { return }
        guard let higher = Instance(exactly: seen.number + 1) else {
            // All 2^48 instances are used up. The person has to make a new identity.
            instanceAdvance = .highest
            return
        }
        guard advances.take(now: now) else {
            instanceAdvance = .waiting(seen: seen, until: advances.nextToken(now: now))
            return
        }
        instanceAdvance = .writing
        effects.output(.advanceInstance(higher))
    }

    /// Makes `instance`, which is on disk now, the instance of this boot. Returns false if nothing waits for it.
    mutating func advance(
        to instance: Instance, sealing: any Sealing, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) -> Bool {
        guard case .writing = instanceAdvance, own.record.instance < instance else { return false }
        instanceAdvance = .highest
        effects.count(.instanceAdvances)
        changeOwnRecord(sealing: sealing, neighbours, &effects, now: now) { $0.instance = instance }
        effects.report(.ownInstanceAdvanced(instance))
        return true
    }
}
