import Primitives
import Wire

/// From silence to death, and back: `PeerPresence` driven by links, rows of neighbours and time.
extension MeshNode {
    /// The link is up: whatever was suspected is refuted.
    mutating func becomePresent(_ index: Int, now: Instant) {
        switch peers[index].presence {
        case .present: return
        case .unmet, .left: break
        case .suspected(let suspicion):
            if suspicion.cause == .silence {
                counters.count(.suspicionsRefuted)
                // All who could say so had it all along: the receive outage was at this node.
                if 0 < suspicion.neighbours, suspicion.confirmations == 0 { health.worsen(now: now) }
            }
        case .dead: counters.count(.deadReturned)
        }
        peers[index].presence = .present
        peers[index].hasMetDuplicate = false
        peers[index].isHinted = false
        if let place = roster.index(of: peers[index].node) { roster[index: place].isDead = false }
        clique.isStale = true
    }

    /// What the end of a session says of the peer itself.
    mutating func judgePresence(_ index: Int, after reason: DownReason, wasLinked: Bool, now: Instant) {
        switch reason {
        case .left: peers[index].presence = .left
        // Who declines is alive, and wanted nothing of this node.
        case .blocked, .declined, .localLeave: peers[index].presence = .unmet
        case .silent, .keysExpired: if wasLinked { suspect(index, .silence, now: now) }
        case .newerInstance, .replaced: if wasLinked { suspect(index, .replaced, now: now) }
        }
    }

    /// The link is down, and not by anybody's will, or cannot be had.
    mutating func suspect(_ index: Int, _ cause: Suspicion.Cause, now: Instant) {
        peers[index].presence = .suspected(Suspicion(cause, since: now))
        if cause == .silence {
            counters.count(.suspicions)
            outputs.append(.event(.peerSuspected(peers[index].node)))
        }
        reviewSuspicions()
        deadlines.needsRefresh = true
    }

    /// It has proved that it lives, though no link came of it.
    mutating func noteLife(_ index: Int, now: Instant) {
        guard var suspicion = peers[index].presence.suspicion else { return }
        suspicion.restart(now: now)
        peers[index].presence = .suspected(suspicion)
        deadlines.needsRefresh = true
    }

    /// Something authentic of a suspect came: the own ears count as much as a neighbour's word. An echo, however late,
    /// is more: each has heard the other since.
    mutating func noteHearing(_ index: Int, isEcho: Bool, now: Instant) {
        guard suspectsItself, var suspicion = peers[index].presence.suspicion, suspicion.cause == .silence
        else { return }
        if isEcho { suspicion.restart(now: now) } else { suspicion.hear(now: now) }
        peers[index].presence = .suspected(suspicion)
    }

    /// A row was told, or a link came or went: asks again who has lost whom.
    mutating func reviewSuspicions() {
        let suspects = peers.peers.count { $0.presence.suspicion?.cause == .silence }
        for index in peers.indices {
            guard var suspicion = peers[index].presence.suspicion else { continue }
            let suspect = peers[index].node
            var (neighbours, confirmations) = (0, 0)
            for other in peers.indices
            where other != index && peers[other].state.isLinked && peers[other].linkStatesDigest != nil {
                neighbours += 1
                if !peers[other].links.contains(where: { $0.peer == suspect }) { confirmations += 1 }
            }
            suspicion.review(
                neighbours: neighbours, confirmations: confirmations, suspects: suspects, now: handledAt)
            peers[index].presence = .suspected(suspicion)
            deadlines.needsRefresh = true
        }
    }

    func suspicionEnd(of index: Int) -> Instant? {
        peers[index].presence.suspicion?.deadline(
            healthFactor: health.factor, policy: configuration.suspicion)
    }

    /// Time is over. The keys go; an attempt under way goes; from now on it is dialled at random.
    mutating func declareDead(_ index: Int, now: Instant) {
        // Who has no network is in no position to judge.
        guard hasNetwork else {
            return noteLife(index, now: now)
        }
        let isIndirect = peers[index].presence.suspicion?.cause == .indirect
        // This death is not reported. A wait that was shown goes on: neither a random retry nor a neighbour ends it.
        let isWaiting = isIndirect && peers[index].state.retryAt != nil
        counters.count(.deaths)
        let instance = roster[peers[index].node]?.instanceSeen
        peers[index].presence = .dead(since: now)
        peers[index].wantedUntil = .zero
        peers[index].connectRequests.end()
        clearAttempt(index)
        endSession(index, .silent, dialAt: isWaiting ? nil : .distantFuture, now: now)
        if let place = roster.index(of: peers[index].node) { roster[index: place].isDead = true }
        clique.isStale = true
        // Whom nobody here ever met, nobody here has lost.
        if let instance, !isIndirect { outputs.append(.event(.peerDead(peers[index].node, instance))) }
        let scheduled = deadRetryAt
        scheduleDeadRetry(isRecent: true, now: now)
        deadRetryAt = min(deadRetryAt, scheduled)
        deadlines.needsRefresh = true
    }

    // MARK: Flapping

    /// The link went down: people hear of it unless it comes and goes.
    mutating func noteFlap(_ index: Int, now: Instant) {
        let wasDamped = peers[index].flaps.isDamped
        peers[index].flaps.flap(now: now)
        guard peers[index].flaps.isDamped, !wasDamped else { return }
        counters.count(.flapsDamped)
        outputs.append(.event(.peerFlapping(peers[index].node, true)))
    }

    mutating func settleFlaps(_ index: Int, now: Instant) {
        guard peers[index].flaps.settle(now: now) else { return }
        outputs.append(.event(.peerFlapping(peers[index].node, false)))
    }
}
