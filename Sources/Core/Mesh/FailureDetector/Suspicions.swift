import Primitives
import Wire

/// The slow verdict: `PeerPresence` follows from links, from the link states of neighbours, and from time.
extension MeshNode {
    /// Makes a peer present because its link is up; refutes a suspicion.
    mutating func becomePresent(_ index: Int, now: Instant) {
        switch detector[index].presence {
        case .present: return
        case .unmet, .left: break
        case .suspected(let suspicion):
            if suspicion.cause == .silence {
                effects.count(.suspicionsRefuted)
                // No neighbour had lost its link to the peer, so the fault was this node's own.
                if 0 < suspicion.neighbours, suspicion.confirmations == 0 { detector.health.worsen(now: now) }
            }
        case .dead: effects.count(.deadReturned)
        }
        detector[index].presence = .present
        links[index].hasMetDuplicate = false
        reachability[index].isHinted = false
        if let place = membership.roster.index(of: links[index].node) { membership.roster[index: place].isDead = false }
        membership.clique.isStale = true
    }

    /// Updates a peer's presence after the end of its session.
    mutating func judgePresence(_ index: Int, after reason: DownReason, wasLinked: Bool, now: Instant) {
        switch reason {
        case .left: detector[index].presence = .left
        // A peer that declines is alive: it is not suspected.
        case .blocked, .declined, .localLeave: detector[index].presence = .unmet
        case .silent, .keysExpired: if wasLinked { suspect(index, .silence, now: now) }
        case .newerInstance, .replaced: if wasLinked { suspect(index, .replaced, now: now) }
        }
    }

    /// Begins a suspicion: the link went down although neither side ended it, or the peer could not be reached.
    mutating func suspect(_ index: Int, _ cause: Suspicion.Cause, now: Instant) {
        detector[index].presence = .suspected(Suspicion(cause, since: now))
        if cause == .silence {
            effects.count(.suspicions)
            effects.report(.peerSuspected(links[index].node))
        }
        reviewSuspicions()
        effects.invalidateDeadlines()
    }

    /// Restarts the whole wait of a suspect: the peer has proved that it lives, or this node cannot judge.
    mutating func confirmAlive(_ index: Int, now: Instant) {
        guard var suspicion = detector[index].presence.suspicion else { return }
        suspicion.restart(now: now)
        detector[index].presence = .suspected(suspicion)
        effects.invalidateDeadlines()
    }

    /// Notes that an authentic datagram of a suspect came. It prolongs the wait, as a neighbour's link to the suspect
    /// would. An echo, even a late one, restarts the whole wait: it proves that the suspect has received from this
    /// node.
    mutating func confirmHeard(_ index: Int, isEcho: Bool, now: Instant) {
        guard suspectsItself, var suspicion = detector[index].presence.suspicion, suspicion.cause == .silence
        else { return }
        if isEcho { suspicion.restart(now: now) } else { suspicion.hear(now: now) }
        detector[index].presence = .suspected(suspicion)
    }

    /// Counts again, for each suspect, the neighbours that have no link to it. Called when link states arrive, when a
    /// link goes up or down, and when a suspicion begins.
    mutating func reviewSuspicions() {
        let suspects = links.indices.count { detector[$0].presence.suspicion?.cause == .silence }
        for index in links.indices {
            guard var suspicion = detector[index].presence.suspicion else { continue }
            let suspect = links[index].node
            var (neighbours, confirmations) = (0, 0)
            for other in links.indices
            where other != index && links[other].state.isLinked && membership[other].linkStatesDigest != nil {
                neighbours += 1
                if !membership[other].links.contains(where: { $0.peer == suspect }) { confirmations += 1 }
            }
            suspicion.review(
                neighbours: neighbours, confirmations: confirmations, suspects: suspects, now: handledAt)
            detector[index].presence = .suspected(suspicion)
            effects.invalidateDeadlines()
        }
    }

    func suspicionEnd(of index: Int) -> Instant? {
        detector[index].presence.suspicion?.deadline(
            healthFactor: detector.health.factor, policy: configuration.suspicion)
    }

    /// Declares a suspect dead after its wait: ends its session and an attempt under way. From then on random retries
    /// dial it.
    mutating func declareDead(_ index: Int, now: Instant) {
        // A node without a network cannot judge: the wait begins again.
        guard hasNetwork else {
            return confirmAlive(index, now: now)
        }
        let isIndirect = detector[index].presence.suspicion?.cause == .indirect
        // The death of an indirect peer is not reported. Its wait for the next attempt, which the status shows, goes
        // on: neither a random retry nor a hint of a neighbour ends it.
        let isWaiting = isIndirect && links[index].state.retryAt != nil
        effects.count(.deaths)
        let instance = membership.roster[links[index].node]?.instanceSeen
        detector[index].presence = .dead(since: now)
        reachability[index].wantedUntil = .zero
        reachability[index].connectRequests.end()
        clearAttempt(index)
        endSession(index, .silent, dialAt: isWaiting ? nil : .distantFuture, now: now)
        if let place = membership.roster.index(of: links[index].node) { membership.roster[index: place].isDead = true }
        membership.clique.isStale = true
        // An indirect suspicion did not begin with a lost link, so its end is not reported.
        if let instance, !isIndirect { effects.report(.peerDead(links[index].node, instance)) }
        let scheduled = reachability.deadRetryAt
        scheduleDeadRetry(isRecent: true, now: now)
        reachability.deadRetryAt = min(reachability.deadRetryAt, scheduled)
        effects.invalidateDeadlines()
    }

    // MARK: Flapping

    /// Notes that the link went down by accident; outputs an event when the peer becomes damped.
    mutating func countFlap(_ index: Int, now: Instant) {
        let wasDamped = detector[index].flaps.isDamped
        detector[index].flaps.flap(now: now)
        guard detector[index].flaps.isDamped, !wasDamped else { return }
        effects.count(.flapsDamped)
        effects.report(.peerFlapping(links[index].node, true))
    }

    mutating func settleFlaps(_ index: Int, now: Instant) {
        guard detector[index].flaps.settle(now: now) else { return }
        effects.report(.peerFlapping(links[index].node, false))
    }
}
