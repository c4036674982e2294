import Primitives

/// What each peer and the node wait for, and what is done when the time has come.
extension MeshNode {
    mutating func runDeadlines(now: Instant) {
        for index in peers.indices where deadlines.isDue(peer: index, now: now) {
            runPeerDeadlines(index, now: now)
            refreshDeadline(of: index, now: now)
        }
        runNodeDeadlines(now: now)
        if deadlines.needsRefresh { refreshAllDeadlines(now: now) } else { refreshNodeDeadline(now: now) }
    }

    mutating func refreshAllDeadlines(now: Instant) {
        deadlines.needsRefresh = false
        for index in peers.indices { refreshDeadline(of: index, now: now) }
        refreshNodeDeadline(now: now)
    }

    mutating func refreshDeadline(of index: Int, now: Instant) {
        var earliest = EarliestDeadline()
        considerState(of: index, &earliest, now: now)
        considerSessions(of: index, &earliest)
        earliest.consider(peers[index].renewal.deadline, .carrier)
        earliest.consider(peers[index].knocks.nextAt, .retry)
        if let at = suspicionEnd(of: index) { earliest.consider(at, .suspicion) }
        if peers[index].flaps.isDamped { earliest.consider(peers[index].flaps.calmAt, .flap) }
        if peers[index].dials.nextAt != .distantFuture, let start = dialer.nextStart(now: now) {
            earliest.consider(max(peers[index].dials.nextAt, start), .dial)
        }
        earliest.consider(peers[index].dials.tunnelAt, .dial)
        deadlines.set(earliest.deadline, ofPeer: index)
    }

    private var stableAfter: Interval { Mutant.stableAtOnce.isOn ? .zero : MeshLimits.stableAfter }

    private func considerState(of index: Int, _ earliest: inout EarliestDeadline, now: Instant) {
        switch peers[index].state {
        case .down(let dialAt): earliest.consider(dialAt, .retry)
        case .connecting(let since): earliest.consider(since + MeshLimits.helloWaitMax, .handshake)
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            earliest.consider(negotiation.deadline, .handshake)
        case .awaitingDecision(let until), .quarantined(let until): earliest.consider(until, .retry)
        case .up(let since):
            if 0 < peers[index].backoff.failures, peers[index].session?.carrier != nil {
                earliest.consider(since + stableAfter, .stability)
            }
            if let session = peers[index].session?.silentAt { earliest.consider(session, .silence) }
        case .verifying(let verification):
            earliest.consider(verification.deadline, .silence)
            if verification.probesSent < MeshLimits.probesPerVerificationMax {
                earliest.consider(verification.nextProbeAt, .probe)
            }
        }
    }

    private func considerSessions(of index: Int, _ earliest: inout EarliestDeadline) {
        if let session = peers[index].session {
            earliest.consider(session.controlDueAt, .control)
            earliest.consider(session.paths.nextProbe, .pathProbe)
            earliest.consider(session.keysExpireAt, .keyExpiry)
            if let at = session.rekeyAt(isLeader: peers[index].isLeader) { earliest.consider(at, .rekey) }
        }
        if let at = peers[index].candidate?.controlDueAt { earliest.consider(at, .control) }
        if let at = peers[index].retired?.until { earliest.consider(at, .keyExpiry) }
        earliest.consider(peers[index].versionsDueAt, .gossip)
    }

    private mutating func refreshNodeDeadline(now: Instant) {
        var earliest = EarliestDeadline()
        earliest.consider(beacon.nextAt, .beacon)
        earliest.consider(gossip.newsDueAt, .gossip)
        earliest.consider(rows.dueAt, .linkRow)
        earliest.consider(gossip.digestExpiresAt, .record)
        earliest.consider(counterRaise.deadline, .raise)
        earliest.consider(deadRetryAt, .deadRetry)
        earliest.consider(carriers.nextHelloDeadline, .carrier)
        earliest.consider(dialer.nextDeadline, .dial)
        earliest.consider(tunnels.nextDeadline, .tunnel)
        for peer in staticPeers where peer.dial == nil && peer.nextAt != .distantFuture {
            if let start = dialer.nextStart(now: now) { earliest.consider(max(peer.nextAt, start), .dial) }
        }
        deadlines.setOfNode(earliest.deadline)
    }

    private mutating func runPeerDeadlines(_ index: Int, now: Instant) {
        runStateDeadline(index, now: now)
        runSessionDeadlines(index, now: now)
        runRenewal(index, now: now)
        if let at = suspicionEnd(of: index), at <= now { declareDead(index, now: now) }
        settleFlaps(index, now: now)
        if peers[index].knocks.nextAt <= now { knock(index, now: now) }
        if peers[index].dials.nextAt <= now { startDials(index, now: now) }
        if peers[index].dials.tunnelAt <= now { joinDialsByTunnel(index, now: now) }
        if peers[index].versionsDueAt <= now { sendVersions(to: index, now: now) }
    }

    private mutating func runStateDeadline(_ index: Int, now: Instant) {
        switch peers[index].state {
        case .down(let dialAt):
            if dialAt <= now { beginAttempt(index, now: now) }
        case .quarantined(let until):
            if until <= now { beginAttempt(index, now: now) }
        case .awaitingDecision(let until):
            if until <= now { beginAttempt(index, now: now) }
        case .connecting(let since):
            if since + MeshLimits.helloWaitMax <= now { failAttempt(index, .noHello, now: now) }
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            if negotiation.deadline <= now { failAttempt(index, .noAnswer, now: now) }
        case .up(let since):
            // Without a carrier the link has yet to make up for its failures.
            if since + stableAfter <= now, peers[index].session?.carrier != nil {
                peers[index].backoff.clear()
            }
            if let silentAt = peers[index].session?.silentAt, silentAt <= now { doubt(index, now: now) }
        case .verifying:
            verify(index, now: now)
        }
    }

    private mutating func runSessionDeadlines(_ index: Int, now: Instant) {
        if let until = peers[index].retired?.until, until <= now { dropRetired(index) }
        if let at = peers[index].session?.keysExpireAt, at <= now {
            counters.count(.keysExpired)
            endSession(index, .keysExpired, dialAt: now, now: now)
        }
        if let at = peers[index].session?.rekeyAt(isLeader: peers[index].isLeader), at <= now {
            rekey(index, now: now)
        }
        if let at = peers[index].candidate?.controlDueAt, at <= now { probeCandidate(index, now: now) }
        if let at = peers[index].session?.controlDueAt, at <= now { sendHeartbeat(index, now: now) }
        if let at = peers[index].session?.paths.nextProbe, at <= now { probePaths(index, now: now) }
    }

    private mutating func runNodeDeadlines(now: Instant) {
        if beacon.nextAt <= now { sendBeacon(now: now) }
        if gossip.newsDueAt <= now { pushNews(now: now) }
        if rows.dueAt <= now { sendLinkRows(now: now) }
        if gossip.digestExpiresAt <= now { refreshDigest(now: now) }
        if counterRaise.deadline <= now { askForRaise(now: now) }
        if deadRetryAt <= now { seekDead(now: now) }
        if carriers.nextHelloDeadline <= now { dropSilentCarriers(now: now) }
        if dialer.nextDeadline <= now { dropSlowDials(now: now) }
        if tunnels.nextDeadline <= now { runTunnels(now: now) }
        dialStaticPeers(now: now)
    }
}
