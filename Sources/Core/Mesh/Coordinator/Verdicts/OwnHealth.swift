import Primitives

/// This node's own faults: what follows for all peers when this node was late, was paused, or received nothing.
extension MeshNode {
    // MARK: Receive outages

    /// Notes that an authentic datagram came, from any peer. If it ends a receive outage, all verdicts are put off.
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

    /// Detects a pause: if a deadline is handled very late, this node was paused; the peers have not all fallen silent.
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

    /// Handles a deadline that was late, but by less than a pause. During the lag this node could not receive anything,
    /// so the lag is subtracted from the silence of every peer.
    private mutating func handleLag(_ lag: Interval, now: Instant) {
        for index in links.indices {
            paths[index].current?.forgive(lag: lag, now: now)
            links[index].forgive(lag: lag, now: now)
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }

    /// Puts all verdicts off: measures every silence from zero, restarts the time of every suspected peer, and probes
    /// each peer that has a session.
    /// - Parameters:
    ///   - sign: the counter of the event, a pause or a receive outage.
    ///   - stoodStillAt: when the pause or the receive outage began.
    private mutating func freezeVerdicts(for sign: MeshCounter, stoodStillAt: Instant, now: Instant) {
        detector.freezeVerdicts(for: sign, &effects, now: now)
        for index in links.indices {
            // During the pause the peer may have made the candidate its session. So the echo of the candidate gets more
            // time.
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
