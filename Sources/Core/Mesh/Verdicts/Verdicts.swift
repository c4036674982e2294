import Primitives
import Wire

/// Is it gone? 1.0 s of silence puts a link in doubt, 0.5 s of unanswered probes over every path
/// takes it down; that is fast, reversible, and moves the voice to another path.
extension MeshNode {
    mutating func startProbing(_ index: Int, now: Instant) {
        setState(index, .doubted(now: now))
        outputs.append(.event(.peerVerifying(peers[index].slot, peers[index].node)))
        requestRelays(for: index, now: now)
        // The direct way, which a neighbour had to stand in for, may be there again; or both have moved.
        challengeAddresses(index, now: now)
        verify(index, now: now)
    }

    /// Sends the probe that is due, or gives the verdict.
    mutating func verify(_ index: Int, now: Instant) {
        guard case .verifying(var verification) = peers[index].state else { return }
        if verificationEnd(verification) <= now {
            loseLink(index, now: now)
            return
        }
        guard verification.nextProbeAt <= now else { return }
        verification.probesSent += 1
        let isQuick = verification.probesSent < MeshLimits.probesQuickMax
        let interval = isQuick ? MeshLimits.probeInterval : random.interval(in: MeshLimits.probeSlowInterval)
        verification.nextProbeAt = now + interval
        peers[index].state = .verifying(verification)
        probeEverywhere(index, now: now)
    }

    // MARK: The own pause

    /// A deadline handled late means that this node stood still, not that everyone fell silent.
    ///
    /// A shell that has handled other inputs meanwhile did not stand still.
    mutating func noticeOwnPause(since handledAt: Instant, now: Instant) {
        guard let due = deadlines.next?.at else { return }
        let lag = now - max(due, handledAt)
        if MeshLimits.ownPauseMin < lag {
            freezeVerdicts(for: .ownPauses, stoodStillAt: handledAt, now: now)
        } else {
            noteLag(lag, now: now)
        }
    }

    /// What was suspected before a pause is given its whole time again.
    private mutating func forgiveSuspicions(now: Instant) {
        for index in peers.indices { noteLife(index, now: now) }
    }

    mutating func resume(after gap: Interval, now: Instant) {
        guard .zero < gap else { return }
        freezeVerdicts(for: .ownPauses, stoodStillAt: now - gap, now: now)
    }

    /// Whether this node's own silence ended a moment ago.
    func hasJustStoodStill(now: Instant) -> Bool { frozenAt.map { now - $0 < MeshLimits.ownPauseMin } ?? false }

    /// Every silence starts anew, and everyone is asked at once.
    ///
    /// One pause shows itself by a late deadline, by the shell's word and by everybody's silence; it is one sign all
    /// the same, or a node would doubt itself for long that stood still once.
    /// - Parameter sign: what is counted.
    mutating func freezeVerdicts(for sign: MeshCounter, stoodStillAt: Instant, now: Instant) {
        if !hasJustStoodStill(now: now) {
            counters.count(sign)
            health.worsen(now: now)
        }
        frozenAt = now
        heardAnybodyAt = now
        forgiveSuspicions(now: now)
        for index in peers.indices {
            // The other side may have taken over meanwhile what was agreed.
            if let candidate = peers[index].candidate, candidate.keys != .offered { waitForEcho(index, now: now) }
            peers[index].session?.forgive(stoodStillAt: stoodStillAt, now: now)
            guard peers[index].session != nil else { continue }
            if case .verifying(let verification) = peers[index].state {
                peers[index].state = .verifying(LinkVerification(upSince: verification.upSince, since: now))
            }
            if !peers[index].state.isLinked { peers[index].session?.sleepInterval = MeshLimits.controlInterval / 2 }
            probeEverywhere(index, now: now)
        }
        deadlines.needsRefresh = true
        refreshAllDeadlines(now: now)
    }
}
