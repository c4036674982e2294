import Primitives
import Wire

/// Decides which peers are present, suspected or dead, and keeps one model of this node's own health.
struct FailureDetector {
    private let policy: SuspicionPolicy
    private var peers: [Peer] = []
    var ownHealth: OwnHealth

    init(_ policy: SuspicionPolicy, now: Instant) {
        self.policy = policy
        ownHealth = OwnHealth(policy, now: now)
        peers.reserveCapacity(MeshScale.peersMax)
    }

    /// Resets the entry at `index` for the peer that got this slot.
    mutating func open(_ index: Int, for node: NodeID) { peers.open(index, Peer(node: node)) }

    subscript(index: Int) -> Peer {
        get { peers[index] }
        _modify { yield &peers[index] }
    }

    var health: LocalHealth { ownHealth.health }

    // Mutating, because it runs after every packet: the peer is read in place and not copied.
    mutating func considerWaits(of index: Int, _ earliest: inout EarliestDeadline) {
        peers[index].considerWaits(&earliest, healthFactor: ownHealth.health.factor, suspicion: policy)
    }

    func suspicionEnd(of index: Int) -> Instant? {
        peers[index].presence.suspicion?.deadline(healthFactor: ownHealth.health.factor, policy: policy)
    }

    // MARK: Changes that concern more than one peer

    /// Makes a peer present because its link is up. If the peer was suspected for its silence, and every neighbour, one
    /// at least, still had a link to it, the fault was this node's own: its local health becomes worse.
    /// - Returns: whether the presence has changed.
    mutating func becomePresent(_ index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        peers[index].becomePresent(&ownHealth, &effects, now: now)
    }

    /// Notes that an authentic datagram of a peer came. If the peer is suspected for its silence, the time until it
    /// counts as dead begins again. With the policy of plain SWIM, a datagram does not change that time.
    mutating func hearSuspect(_ index: Int, now: Instant) {
        guard ownHealth.suspectsItself else { return }
        peers[index].hearSuspect(now: now)
    }

    /// Notes an absence of this node that ends now: every suspected peer gets more time.
    /// - Parameter sign: the counter of the absence: it was a pause of this node, or a receive outage.
    mutating func forgive(_ absence: Absence, _ sign: MeshCounter, _ effects: inout Effects, now: Instant) {
        ownHealth.register(absence, sign, &effects, now: now)
        for index in peers.indices { peers[index].forgive(absence, now: now) }
    }

    var hasSuspects: Bool { peers.contains { $0.presence.suspicion != nil } }

    /// Counts again, for each suspected peer, the neighbours that have no link to it.
    mutating func reviewSuspicions(_ witnesses: [Witness], _ effects: inout Effects, now: Instant) {
        let suspects = peers.count { $0.presence.suspicion?.cause == .silence }
        for index in peers.indices {
            peers[index].reviewSuspicion(witnesses, suspects: suspects, &effects, now: now)
        }
    }
}

extension FailureDetector {
    /// The verdict on one peer.
    struct Peer {
        let node: NodeID
        private(set) var presence = PeerPresence.unmet
        private(set) var flaps = FlapDamping()
        /// When the peer died or left last; `.zero` if it did neither since it got its slot.
        private(set) var goneSince = Instant.zero

        // Mutating, because it runs after every packet: the peer is read in place and not copied.
        mutating func considerWaits(
            _ earliest: inout EarliestDeadline, healthFactor: Int64, suspicion policy: SuspicionPolicy
        ) {
            if let at = presence.suspicion?.deadline(healthFactor: healthFactor, policy: policy) {
                earliest.consider(at, .suspicion)
            }
            if flaps.isDamped { earliest.consider(flaps.calmAt, .flap) }
        }

        // MARK: Presence

        /// Makes the peer present because its link is up. A suspicion of it ends; one for its silence counts as wrong.
        /// - Returns: whether the presence has changed.
        mutating func becomePresent(
            _ ownHealth: inout OwnHealth, _ effects: inout Effects, now: Instant
        ) -> Bool {
            switch presence {
            case .present: return false
            case .unmet, .left: break
            case .suspected(let suspicion):
                if suspicion.cause == .silence {
                    effects.count(.suspicionsRefuted)
                    // No neighbour had lost its link to the peer, so the fault was this node's own.
                    if 0 < suspicion.neighbours, suspicion.confirmations == 0 {
                        ownHealth.registerWrongSuspicion(now: now)
                    }
                }
            case .dead: effects.count(.deadReturned)
            }
            presence = .present
            return true
        }

        /// Notes that the peer said good-bye, or that its newest record is a leaving one.
        mutating func markLeft(now: Instant) { (presence, goneSince) = (.left, now) }

        /// Updates the presence after the link went down or the session ended.
        /// - Returns: the cause of the suspicion that has to begin; nil if none does.
        mutating func judge(after reason: DownReason, wasLinked: Bool, now: Instant) -> Suspicion.Cause? {
            switch reason {
            case .left:
                markLeft(now: now)
                return nil
            // A peer that declines is alive: it is not suspected.
            case .blocked, .declined, .localLeave, .noProof:
                presence = .unmet
                return nil
            case .silent, .keysExpired: return wasLinked ? .silence : nil
            case .newerInstance, .replaced: return wasLinked ? .replaced : nil
            }
        }

        /// Ends a suspicion, or the verdict that the peer is dead: the peer's HELLO has come, and the link is missing
        /// only because a person has yet to decide about it.
        /// - Returns: whether the presence has changed.
        mutating func awaitDecision(_ effects: inout Effects) -> Bool {
            switch presence {
            case .unmet, .present, .left: return false
            case .suspected, .dead: presence = .unmet
            }
            effects.invalidateDeadlines()
            return true
        }

        /// Declares the suspected peer dead, because the time for which it was only suspected is over.
        /// - Returns: why the peer had been suspected.
        mutating func declareDead(_ effects: inout Effects, now: Instant) -> Suspicion.Cause? {
            let cause = presence.suspicion?.cause
            effects.count(.deaths)
            (presence, goneSince) = (.dead(since: now), now)
            return cause
        }

        // MARK: Suspicion

        /// Begins a suspicion. Then the caller calls `reviewSuspicions`, which counts the neighbours that have no link
        /// to the peer.
        mutating func suspect(_ cause: Suspicion.Cause, _ effects: inout Effects, now: Instant) {
            presence = .suspected(Suspicion(cause, since: now))
            effects.invalidateDeadlines()
            guard cause == .silence else { return }
            effects.count(.suspicions)
            effects.report(.peerSuspected(node))
        }

        /// Restarts the time for which a suspected peer may be silent, because the peer has proved that it lives, or
        /// because this node has no network.
        mutating func restartSuspicion(_ effects: inout Effects, now: Instant) {
            guard var suspicion = presence.suspicion else { return }
            suspicion.restart(now: now)
            presence = .suspected(suspicion)
            effects.invalidateDeadlines()
        }

        /// Restarts the time of a peer that was suspected for its silence, because an authentic datagram of it came.
        mutating func hearSuspect(now: Instant) {
            guard var suspicion = presence.suspicion, suspicion.cause == .silence else { return }
            suspicion.restart(now: now)
            presence = .suspected(suspicion)
        }

        /// Gives a suspected peer more time, because of an absence of this node that ends now.
        mutating func forgive(_ absence: Absence, now: Instant) {
            guard var suspicion = presence.suspicion else { return }
            suspicion.forgive(absence, now: now)
            presence = .suspected(suspicion)
        }

        /// Counts again the neighbours that have no link to the suspected peer; does nothing if this peer is not
        /// suspected.
        /// - Parameter suspects: number of all peers that are suspected for their silence.
        mutating func reviewSuspicion(
            _ witnesses: [Witness], suspects: Int, _ effects: inout Effects, now: Instant
        ) {
            guard var suspicion = presence.suspicion else { return }
            var (neighbours, confirmations) = (0, 0)
            // The suspected peer is no witness about itself: it may have a link again and not count as present yet.
            for witness in witnesses where witness.node != node {
                neighbours += 1
                if !witness.hasLink(to: node) { confirmations += 1 }
            }
            suspicion.review(neighbours: neighbours, confirmations: confirmations, suspects: suspects, now: now)
            presence = .suspected(suspicion)
            effects.invalidateDeadlines()
        }

        // MARK: Flapping

        /// Notes that the link went down, and the person here had not ordered it; outputs an event when the peer
        /// becomes damped.
        mutating func countFlap(_ effects: inout Effects, now: Instant) {
            let wasDamped = flaps.isDamped
            flaps.flap(now: now)
            guard flaps.isDamped, !wasDamped else { return }
            effects.count(.flapsDamped)
            effects.report(.peerFlapping(node, true))
        }

        /// Outputs an event when the damping ends, because the link has been steady for long enough.
        mutating func settleFlaps(_ effects: inout Effects, now: Instant) {
            guard flaps.settle(now: now) else { return }
            effects.report(.peerFlapping(node, false))
        }

        /// Ends the damping because the peer loses its slot: nothing would end it later, and the shell would never
        /// report the peer again.
        mutating func endDamping(_ effects: inout Effects) {
            guard flaps.isDamped else { return }
            flaps = FlapDamping()
            effects.report(.peerFlapping(node, false))
        }
    }
}

/// A linked neighbour that has advertised its link states. They show whether it still has a link to a suspected peer.
struct Witness {
    let node: NodeID
    let links: [AdvertisedLink]

    func hasLink(to suspect: NodeID) -> Bool { links.contains { $0.peer == suspect } }
}
