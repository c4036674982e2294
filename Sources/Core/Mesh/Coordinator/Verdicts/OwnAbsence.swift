import Primitives

/// This node's own absences: times in which it could receive nothing, because its process did not run, or because
/// nothing came from any peer. An absence is no silence of a peer.
extension MeshNode {
    /// Detects that this node did not run: if a deadline is handled late, this node could receive nothing since then.
    ///
    /// If the shell has handled another input after the deadline, the lag counts from that input.
    mutating func noticeLag(since handledAt: Instant, now: Instant) {
        guard let due = deadlines.next?.at else { return }
        let lag = now - max(due, handledAt)
        guard detector.ownHealth.isAbsence(lag: lag) else { return }
        forgive(Absence(lag), .ownPauses, now: now)
    }

    mutating func resume(after absence: Absence, now: Instant) {
        guard .zero < absence.length else { return }
        links.pairing.shorten(by: absence.slept, now: now)
        outage?.shorten(by: absence.slept)
        membership.age(by: absence.slept)
        reachability.announcement.age(by: absence.slept)
        // This node's clock stood still while the machine slept. Without this, the echo of a control block from before
        // the sleep would count as in time.
        for index in links.indices {
            paths[index].current?.ageSent(by: absence.slept, now: now)
            paths[index].candidate?.ageSent(by: absence.slept, now: now)
        }
        forgive(absence, .ownPauses, now: now)
        if .zero < absence.slept { refreshDigest(now: now) }
    }

    /// Notes that an authentic datagram came, from any peer. If it ends a receive outage, this node was absent.
    mutating func registerArrival(now: Instant) {
        guard let silence = detector.ownHealth.registerArrival(&effects, now: now),
            hasSeveral(where: { $0.session != nil })
        else { return }
        forgive(Absence(silence), .receiveOutages, now: now)
    }

    /// Leaves an absence of this node, which ends now, out of every measured silence, and puts off the verdicts on all
    /// links and peers.
    /// - Parameter sign: the counter of the absence: it was a pause of this node, or a receive outage.
    private mutating func forgive(_ absence: Absence, _ sign: MeshCounter, now: Instant) {
        detector.forgive(absence, sign, &effects, now: now)
        if absence.outlastsSuspicion { makeLinksStale(after: absence, now: now) }
        for index in links.indices {
            // During the absence the peer may have received the first echo of the candidate session, and may use it as
            // its session since then. So this node waits longer for the echo that it lacks itself.
            if let candidate = links[index].candidate, candidate.keys != .offered {
                links.waitForEcho(index, &effects, now: now)
            }
            paths[index].current?.forgive(absence, now: now)
            links[index].forgive(absence, now: now)
            // After a long absence of this node, the peer may have taken the link down. The echo of a probe brings it
            // up again.
            if absence.isLong, links[index].session != nil { probeEverywhere(index, now: now) }
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }

    /// Makes every link stale: others may have taken its peer for dead during the absence, and this node must not tell
    /// them that the peer lives before it knows. The peer was last seen when it was last heard.
    private mutating func makeLinksStale(after absence: Absence, now: Instant) {
        var stale: [Int] = []
        for index in links.indices where links[index].state.isLinked && !links[index].isStale { stale.append(index) }
        for index in stale {
            links[index].makeStale()
            // Also an echo of a candidate may have waited in the socket since before the absence.
            paths[index].current?.forgetSent()
            paths[index].candidate?.forgetSent()
        }
        for index in stale {
            guard let heardAt = paths[index].current?.heardAt else { continue }
            markSeen(links[index].node, at: heardAt - absence.slept, now: now)
        }
        membership.invalidateClique()
        reviewSuspicions()
    }

    // MARK: The end of a verification

    /// Returns the instant at which a link in verification goes down if no echo comes before.
    func verificationEnd(_ verification: LinkVerification) -> Instant {
        detector.ownHealth.verificationEnd(
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
}
