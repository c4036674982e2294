package import Primitives
import Trust
import Wire

/// What this boot does about an instance counter that was rolled back: a state folder restored from
/// a backup, or a machine from a snapshot.
///
///                 own record of a higher instance            nobody said `duplicateIdentity`
///     highest ──────────────────────────────────► waiting ──────────────────────────────► writing
///       ▲ ▲                                          │                                       │
///       │ └──────────── a duplicate lives, it stays ─┘                        on disk        │
///       └────────────────────────────────────────────────────────────────────────────────────┘
///
/// Only a record under the own signature is proof, so that no peer can burn the counter. A neighbour may have seen a
/// higher instance than the one that was passed, so a boot may advance again. `MeshNode.advances` meters it, so that
/// two living boots do not chase each other.
package enum InstanceAdvance: Hashable, Sendable {
    /// No own instance is known that is higher than the present one, or none of a boot that is gone.
    case highest
    /// `seen` is the highest own instance met; raised at `until` unless a duplicate shows itself.
    case waiting(seen: Instance, until: Instant)
    /// The shell writes the counter.
    case writing

    package var deadline: Instant {
        if case .waiting(_, let until) = self { until } else { .distantFuture }
    }
}

extension MeshNode {
    /// A signed record of this node that this boot did not write. Whether the boot that wrote it
    /// still lives, only a neighbour of it can tell: it refuses with `duplicateIdentity`.
    mutating func noteOwnRecord(_ record: NodeRecord, from peer: NodeID, now: Instant) {
        guard own.record.instance < record.instance else { return }
        counters.count(.ownInstanceRolledBack)
        switch instanceAdvance {
        case .highest:
            instanceAdvance = .waiting(seen: record.instance, until: now + MeshLimits.advanceWait)
            outputs.append(.event(.refused(peer, .staleInstance)))
        case .waiting(let seen, let until):
            instanceAdvance = .waiting(seen: max(seen, record.instance), until: until)
        case .writing:
            break
        }
        deadlines.needsRefresh = true
    }

    /// A neighbour is linked to another boot of this identity: the older stays.
    mutating func reportLivingDuplicate() {
        guard case .waiting = instanceAdvance else { return }
        instanceAdvance = .highest
        deadlines.needsRefresh = true
    }

    mutating func requestAdvance(now: Instant) {
        guard case .waiting(let seen, let until) = instanceAdvance, until <= now else { return }
        guard let higher = Instance(exactly: seen.number + 1) else {
            // The last of 2^48: the person has to make a new identity.
            instanceAdvance = .highest
            return
        }
        guard advances.take(now: now) else {
            instanceAdvance = .waiting(seen: seen, until: advances.nextToken(now: now))
            return
        }
        instanceAdvance = .writing
        outputs.append(.advanceInstance(higher))
    }

    /// The counter is on disk: from now on this boot is `instance`. Links go on as they are, under
    /// the new label; whoever refused the old one is tried again.
    mutating func advance(to instance: Instance, now: Instant) {
        guard case .writing = instanceAdvance, own.record.instance < instance else { return }
        instanceAdvance = .highest
        counters.count(.instanceAdvances)
        changeOwnRecord(now: now) { $0.instance = instance }
        outputs.append(.event(.ownInstanceAdvanced(instance)))
        for index in peers.indices {
            peers[index].session?.advance(own: instance)
            peers[index].retired?.session.advance(own: instance)
            // What is being negotiated has the old label in its keys.
            clearAttempt(index)
            switch peers[index].state {
            case .up, .verifying:
                if peers[index].renewal != .none {
                    peers[index].renewal = .due(at: now)
                    // Carriers that the old instance was refused on count for nothing: until there is one, the peer
                    // goes on with the old name.
                    peers[index].renewals = PeerLink.renewalsAtFirst
                }
            case .down(let dialAt) where dialAt == .distantFuture:
                break
            case .down, .connecting, .inviting, .awaitingInvite, .quarantined:
                setState(index, .ended(dialAt: now))
            case .awaitingDecision:
                break
            }
        }
        linkAdvertisement.change(now: now)
    }

    /// A peer's boot goes on under a higher instance, and so does all that was agreed with it: also what still lacks
    /// its echo, which would bring the old name back when it takes over.
    mutating func relabel(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        func isLower(_ session: Session) -> Bool { session.bootNonce == boot && session.instance < instance }
        if let candidate = peers[index].candidate, isLower(candidate) { candidate.advance(peer: instance) }
        guard let session = peers[index].session, isLower(session) else { return }
        session.advance(peer: instance)
        peers[index].retired?.session.advance(peer: instance)
        linkAdvertisement.change(now: now)
        guard peers[index].state.isLinked else { return }
        outputs.append(.event(.peerAdvanced(peers[index].slot, peers[index].node, instance)))
    }
}
