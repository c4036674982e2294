import Primitives
import Wire

/// The fast verdict. After 1.0 s of silence this node verifies a link; after 0.5 s of unanswered probes over every
/// path the link is down. Both times may be longer (`Session.silentAt`, `verificationEnd`). The verdict is
/// reversible, and moves the voice to another path.
extension MeshNode {
    mutating func startProbing(_ index: Int, now: Instant) {
        setState(index, .doubted(now: now))
        effects.report(.peerVerifying(links[index].slot, links[index].node))
        requestRelays(for: index, now: now)
        // A direct path that was replaced by a relay may work again, or both nodes may have new addresses.
        challengeAddresses(index, now: now)
        verify(index, now: now)
    }

    /// Sends the probe that is due, or takes the link down when the verification is over.
    mutating func verify(_ index: Int, now: Instant) {
        guard case .verifying(var verification) = links[index].state else { return }
        if verificationEnd(verification) <= now {
            loseLink(index, now: now)
            return
        }
        guard verification.nextProbeAt <= now else { return }
        verification.probesSent += 1
        let isQuick = verification.probesSent < MeshLimits.probesQuickMax
        let interval = isQuick ? MeshLimits.probeInterval : effects.random.interval(in: MeshLimits.probeSlowInterval)
        verification.nextProbeAt = now + interval
        links[index].state = .verifying(verification)
        probeEverywhere(index, now: now)
    }

    // MARK: Pauses of this node

    /// Detects a pause: a deadline that is handled late means that this node stood still, and not that all peers are
    /// silent.
    ///
    /// If the shell has handled another input after the deadline, the lag counts from that input.
    mutating func noticeOwnPause(since handledAt: Instant, now: Instant) {
        guard let due = deadlines.next?.at else { return }
        let lag = now - max(due, handledAt)
        if MeshLimits.ownPauseMin < lag {
            freezeVerdicts(for: .ownPauses, stoodStillAt: handledAt, now: now)
        } else {
            handleLag(lag, now: now)
        }
    }

    /// Restarts the whole wait of every suspect after a pause of this node.
    private mutating func forgiveSuspicions(now: Instant) {
        for index in links.indices { confirmAlive(index, now: now) }
    }

    mutating func resume(after gap: Interval, now: Instant) {
        guard .zero < gap else { return }
        freezeVerdicts(for: .ownPauses, stoodStillAt: now - gap, now: now)
    }

    /// Whether the verdicts were frozen less than `MeshLimits.ownPauseMin` ago.
    func hasJustStoodStill(now: Instant) -> Bool {
        detector.frozenAt.map { now - $0 < MeshLimits.ownPauseMin } ?? false
    }

    /// Restarts every silence and every suspicion, and probes each peer that has a session.
    ///
    /// One pause may show itself by a late deadline, by the shell's `resumed` input and by the silence of all links.
    /// It counts as one sign of ill health: otherwise a single pause would make this node doubt itself for long.
    /// - Parameters:
    ///   - sign: the counter of this sign.
    ///   - stoodStillAt: when the pause or the receive outage began.
    mutating func freezeVerdicts(for sign: MeshCounter, stoodStillAt: Instant, now: Instant) {
        if !hasJustStoodStill(now: now) {
            effects.count(sign)
            detector.health.worsen(now: now)
        }
        detector.frozenAt = now
        detector.heardAnybodyAt = now
        forgiveSuspicions(now: now)
        for index in links.indices {
            // The peer may have taken the candidate over during the pause, so its echo gets more time.
            if let candidate = links[index].candidate, candidate.keys != .offered { waitForEcho(index, now: now) }
            paths[index].session?.forgive(stoodStillAt: stoodStillAt, now: now)
            guard links[index].session != nil else { continue }
            if case .verifying(let verification) = links[index].state {
                links[index].state = .verifying(LinkVerification(upSince: verification.upSince, since: now))
            }
            if !links[index].state.isLinked { paths[index].session?.sleepInterval = MeshLimits.controlInterval / 2 }
            probeEverywhere(index, now: now)
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }
}
