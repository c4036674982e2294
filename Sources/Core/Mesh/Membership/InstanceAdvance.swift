package import Primitives
import Trust
import Wire

/// What this boot does when its instance counter was rolled back: by a state folder restored from a backup, or by a
/// machine restored from a snapshot.
///
///                 own record of a higher instance            no refusal `duplicateIdentity`
///     highest ──────────────────────────────────► waiting ──────────────────────────────► writing
///       ▲ ▲                                          │                                       │
///       │ └──────────── a duplicate lives and stays ─┘                        on disk        │
///       └────────────────────────────────────────────────────────────────────────────────────┘
///
/// Only a record with this node's own signature counts as proof of a higher instance. So no peer can use the counter
/// up. If another neighbour has seen a still higher instance, the boot advances again. `Membership.advances` limits the
/// rate, so that two living boots do not overtake each other again and again.
package enum InstanceAdvance: Hashable, Sendable {
    /// This boot does not advance: its instance is the highest known one of this node, or a living duplicate keeps a
    /// higher one, or no higher number is left.
    case highest
    /// A higher instance of this node was seen; `seen` is the highest. At `until` this boot advances beyond it, unless
    /// a neighbour reports a living duplicate before.
    case waiting(seen: Instance, until: Instant)
    /// The shell writes the counter to disk.
    case writing

    package var deadline: Instant {
        if case .waiting(_, let until) = self { until } else { .distantFuture }
    }
}

extension Membership {
    /// Handles a record of this node that has a higher instance and was signed by another boot. Only a neighbour of
    /// that boot knows whether it still lives: such a neighbour refuses this boot with `duplicateIdentity`.
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

    /// Gives up the advance: a neighbour has reported that it is linked to another living boot of this identity. Of two
    /// such boots the older one keeps its instance and its links.
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

    /// Makes `instance`, which is on disk now, the instance of this boot. Returns false if this boot has not asked for
    /// an advance.
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
