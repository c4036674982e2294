package import Primitives
import Trust
import Wire

/// What this boot does about an instance counter that was rolled back: a state folder restored from
/// a backup, or a machine from a snapshot.
///
///                 own record of a higher instance            nobody said `duplicateIdentity`
///     highest ──────────────────────────────────► waiting ──────────────────────────────► writing
///       ▲ ▲                                          │                                       │
///       │ └──────────── a twin lives, it stays ──────┘                        on disk        │
///       └────────────────────────────────────────────────────────────────────────────────────┘
///
/// Only a record under the own signature is proof, so that no peer can burn the counter. A neighbour may have seen a
/// higher instance than the one that was raised above, so a boot may raise again; `MeshNode.raises` meters it, so that
/// two boots that live do not chase each other.
package enum CounterRaise: Hashable, Sendable {
    /// No own instance is known that is higher than the present one, or none of a boot that is gone.
    case highest
    /// `seen` is the highest own instance met; raised at `until` unless a twin shows itself.
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
        switch counterRaise {
        case .highest:
            counterRaise = .waiting(seen: record.instance, until: now + MeshLimits.raiseWait)
            outputs.append(.event(.refused(peer, .staleInstance)))
        case .waiting(let seen, let until):
            counterRaise = .waiting(seen: max(seen, record.instance), until: until)
        case .writing:
            break
        }
        deadlines.needsRefresh = true
    }

    /// A neighbour is linked to another boot of this identity: the older stays.
    mutating func noteLivingTwin() {
        guard case .waiting = counterRaise else { return }
        counterRaise = .highest
        deadlines.needsRefresh = true
    }

    mutating func askForRaise(now: Instant) {
        guard case .waiting(let seen, let until) = counterRaise, until <= now else { return }
        guard let higher = Instance(exactly: seen.number + 1) else {
            // The last of 2^48: the person has to make a new identity.
            counterRaise = .highest
            return
        }
        guard raises.take(now: now) else {
            counterRaise = .waiting(seen: seen, until: raises.nextToken(now: now))
            return
        }
        counterRaise = .writing
        outputs.append(.raiseInstance(higher))
    }

    /// The counter is on disk: from now on this boot is `instance`. Links go on as they are, under
    /// the new label; whoever refused the old one is tried again.
    mutating func raise(to instance: Instance, now: Instant) {
        guard case .writing = counterRaise, own.record.instance < instance else { return }
        counterRaise = .highest
        counters.count(.instanceRaises)
        changeOwnRecord(now: now) { $0.instance = instance }
        outputs.append(.event(.ownInstanceRaised(instance)))
        for index in peers.indices {
            peers[index].session?.raise(own: instance)
            peers[index].retired?.session.raise(own: instance)
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
        rows.change(now: now)
    }

    /// A peer's boot goes on under a higher instance, and so does all that was agreed with it: also what still lacks
    /// its echo, which would bring the old name back when it takes over.
    mutating func relabel(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        func isLower(_ session: Session) -> Bool { session.bootNonce == boot && session.instance < instance }
        if let candidate = peers[index].candidate, isLower(candidate) { candidate.raise(peer: instance) }
        guard let session = peers[index].session, isLower(session) else { return }
        session.raise(peer: instance)
        peers[index].retired?.session.raise(peer: instance)
        rows.change(now: now)
        guard peers[index].state.isLinked else { return }
        outputs.append(.event(.peerRaised(peers[index].slot, peers[index].node, instance)))
    }
}
