import Primitives

/// This node's own faults: what follows for all peers when this node was late, stood still, or received nothing.
extension MeshNode {
    // MARK: Receive outages

    /// Notes that an authentic datagram came, from any peer; freezes the verdicts after a receive outage.
    mutating func registerArrival(now: Instant) {
        guard let silentSince = detector.ownFaults.registerArrival(&effects, now: now),
            hasSeveral(where: { $0.session != nil })
        else { return }
        freezeVerdicts(for: .receiveOutages, stoodStillAt: silentSince, now: now)
    }

    /// Returns the instant at which a link in verification goes down if no echo comes before.
    func verificationEnd(_ verification: LinkVerification) -> Instant {
        detector.ownFaults.verificationEnd(
            since: verification.since, areSeveralLinked: hasSeveral(where: { $0.state.isLinked }))
    }

    private func hasSeveral(where isCounted: (PeerLink) -> Bool) -> Bool {
        var count = 0
        for index in links.indices where isCounted(links[index]) {
            count += 1
            if count == MeshLimits.receiveOutageNeighboursMin { return true }
        }
        return false
    }

    // MARK: Pauses of this node

    /// Detects a pause: a deadline that is handled late means that this node stood still, and not that all peers are
    /// silent.
    ///
    /// If the shell has handled another input after the deadline, the lag counts from that input.
    mutating func noticeOwnPause(since handledAt: Instant, now: Instant) {
        guard let due = deadlines.next?.at else { return }
        let lag = now - max(due, handledAt)
        switch detector.ownFaults.registerLateness(lag, &effects, now: now) {
        case .inTime: return
        case .lag: handleLag(lag, now: now)
        case .pause: freezeVerdicts(for: .ownPauses, stoodStillAt: handledAt, now: now)
        }
    }

    mutating func resume(after gap: Interval, now: Instant) {
        guard .zero < gap else { return }
        freezeVerdicts(for: .ownPauses, stoodStillAt: now - gap, now: now)
    }

    /// Takes the lag of a deadline that was handled late, but by less than a pause, out of every silence: during the
    /// lag this node could not receive anything.
    private mutating func handleLag(_ lag: Interval, now: Instant) {
        for index in links.indices {
            paths[index].current?.forgive(lag: lag, now: now)
            links[index].forgive(lag: lag, now: now)
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }

    /// Restarts every silence and every suspicion, and probes each peer that has a session.
    /// - Parameters:
    ///   - sign: the counter of this sign.
    ///   - stoodStillAt: when the pause or the receive outage began.
    private mutating func freezeVerdicts(for sign: MeshCounter, stoodStillAt: Instant, now: Instant) {
        detector.freezeVerdicts(for: sign, &effects, now: now)
        for index in links.indices {
            // The peer may have taken the candidate over during the pause, so its echo gets more time.
            if let candidate = links[index].candidate, candidate.keys != .offered {
                links.waitForEcho(index, &effects, now: now)
            }
            paths[index].current?.forgive(stoodStillAt: stoodStillAt, now: now)
            guard links[index].session != nil else { continue }
            links[index].restartVerification(now: now)
            if !links[index].state.isLinked { paths[index].current?.restartSleep() }
            probeEverywhere(index, now: now)
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }
}
