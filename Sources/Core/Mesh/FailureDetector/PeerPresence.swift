package import Primitives

/// Whether one peer is there at all. This verdict comes late, and is this node's own. The faster verdict, whether the
/// link to the peer is up, is in `LinkState`.
///
///     unmet ──up──► present ──link lost──► suspected ──wait is over──► dead
///       │              ▲                     │    ▲                    │ │
///       │              └──────────up─────────┴────┼─────────up─────────┘ │
///       └─────────────not reached─────────────────┴────newer record──────┘
///
///     any state ──LEAVE, or a leaving record──► left ──up──► present
///                                                └──not reached, although a newer record counts──► suspected
///     any state ──block, refusal, or this node's own leave──► unmet
///     suspected, dead ──it waits for the decision of a person──► unmet
///
/// While this node has no network, a suspected peer on another host stays suspected: whenever the wait is over, it
/// begins again. Each node decides for itself: no other node can declare a death, and no message reports one.
package enum PeerPresence: Hashable, Sendable {
    /// The peer is known, but was never linked. A peer becomes `unmet` again by a block, a refusal or this node's own
    /// leave, and when it was suspected or dead and now waits for the decision of a person.
    case unmet
    case present
    case suspected(Suspicion)
    /// This node has ended its session with the peer. It dials the peer only for a random retry, a hint, or an attempt
    /// that was waiting already.
    case dead(since: Instant)
    case left

    package var suspicion: Suspicion? {
        if case .suspected(let suspicion) = self { suspicion } else { nil }
    }

    package var isDead: Bool {
        if case .dead = self { true } else { false }
    }
}

/// The suspicion of a peer, and the time until the peer is declared dead. The time is short if no neighbour has a link
/// to the peer. It is long if a neighbour has one. If the peer is suspected for its silence, the time begins again with
/// each authentic datagram of the peer. Doubt about this node's own health makes the time longer (after Lifeguard,
/// arXiv 1707.00788; docs/decisions/014-suspicion.md says why there is nothing between short and long). If several
/// peers are silent and no neighbour is left to ask, then mostly this node itself receives nothing. Then the time is
/// `MeshLimits.suspicionAloneMax`, in which all keys of the lost sessions expire. With the policy of plain SWIM the
/// time is fixed.
package struct Suspicion: Hashable, Sendable {
    /// Why the peer is suspected.
    package enum Cause: Hashable, Sendable {
        /// The peer fell silent, or the keys of its session expired.
        case silence
        /// The peer has started again, and its new boot has no link yet.
        case replaced
        /// No link was lost: a record of the peer counts, and this node could not reach the peer. Or this node took the
        /// peer for dead, and a newer record of the peer has come.
        case indirect
    }

    package let cause: Cause
    package private(set) var since: Instant
    /// Number of linked neighbours that have advertised link states. `confirmations` counts those of them that have no
    /// link to the suspected peer.
    package private(set) var neighbours = 0
    package private(set) var confirmations = 0
    /// Whether no neighbour is left to ask, and more than one peer is suspected for its silence.
    package private(set) var isAlone = false

    package init(_ cause: Cause, since: Instant) {
        self.cause = cause
        self.since = since
    }

    /// Restarts the whole time: the suspected peer has proved that it lives, or this node could not have heard it.
    package mutating func restart(now: Instant) { since = now }

    /// Lengthens the time because of an absence of this node that ends now.
    package mutating func forgive(_ absence: Absence, now: Instant) { since = absence.forgive(since, now: now) }

    /// Stores in this suspicion the counts that follow from the neighbours' link states now. The time begins again if
    /// this node was alone (`isAlone`) and is no longer.
    /// - Parameter suspects: number of all peers that are suspected for their silence.
    package mutating func review(neighbours: Int, confirmations: Int, suspects: Int, now: Instant) {
        precondition(confirmations <= neighbours, "\(confirmations) of \(neighbours) neighbours")
        let wasAlone = isAlone
        isAlone = neighbours == 0 && 1 < suspects
        if wasAlone, !isAlone { restart(now: now) }
        self.neighbours = neighbours
        self.confirmations = confirmations
    }

    /// Whether a neighbour still has a link to the suspected peer.
    package var hasLinkedNeighbour: Bool { confirmations < neighbours }

    package func deadline(healthFactor: Int64, policy: SuspicionPolicy) -> Instant {
        switch policy {
        case .plain(let wait): return since + wait
        case .lifeguard(let least, let most):
            if isAlone { return since + MeshLimits.suspicionAloneMax }
            if hasLinkedNeighbour { return since + most * healthFactor }
            // No neighbour has a link to the peer any more. So the time is at most `most`, even if this node doubts its
            // own health.
            return since + min(most, least * healthFactor)
        }
    }
}
