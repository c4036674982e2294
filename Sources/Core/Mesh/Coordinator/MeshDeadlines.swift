import Primitives

/// The deadlines of each peer and of the node, and the work that is due at them.
extension MeshNode {
    /// Does all work of the mesh that is due. The shell also calls when only a part outside the mesh has work that is
    /// due, so there is often nothing to do.
    mutating func runDeadlines(now: Instant) {
        guard effects.areDeadlinesStale || deadlines.isAnyDue(now: now) else { return }
        var areDialsDue = false
        for index in links.indices where deadlines.isDue(peer: index, now: now) {
            runPeerDeadlines(index, now: now)
            areDialsDue = areDialsDue || reachability[index].dials.nextAt <= now
            refreshDeadline(of: index, now: now)
        }
        if areDialsDue || reachability.staticPeers.isAnyDue(now: now) || reachability.isSenderDue(now: now) {
            startDials(now: now)
        }
        runNodeDeadlines(now: now)
        if effects.areDeadlinesStale { refreshAllDeadlines(now: now) } else { refreshNodeDeadline(now: now) }
    }

    mutating func refreshAllDeadlines(now: Instant) {
        effects.deadlinesRefreshed()
        for index in links.indices { refreshDeadline(of: index, now: now) }
        refreshNodeDeadline(now: now)
    }

    mutating func refreshDeadline(of index: Int, now: Instant) {
        var earliest = EarliestDeadline()
        links[index].considerWaits(&earliest, isFailing: reachability[index].hasFailed)
        paths[index].considerWaits(&earliest, isUp: links[index].state.isUp)
        membership[index].considerWaits(&earliest)
        reachability[index].considerWaits(&earliest)
        detector.considerWaits(of: index, &earliest)
        if case .verifying(let verification) = links[index].state {
            earliest.consider(verificationEnd(verification), .silence)
        }
        reachability.considerDial(of: index, &earliest, now: now)
        deadlines.set(earliest.deadline, ofPeer: index)
    }

    private mutating func refreshNodeDeadline(now: Instant) {
        var earliest = EarliestDeadline()
        reachability.considerWaits(&earliest, serviceSearch, now: now)
        membership.considerWaits(&earliest)
        earliest.consider(links.carriers.nextOverdueAt, .carrier)
        if let outage { earliest.consider(outage.until, .carrier) }
        earliest.consider(links.nextRunAt(as: configuration.standing, now: now), .carrier)
        earliest.consider(links.epochs.nextDeadline, .epoch)
        earliest.consider(links.pairing.until, .pairing)
        earliest.consider(relay.nextDeadline, .tunnel)
        deadlines.setOfNode(earliest.deadline)
    }

    private mutating func runPeerDeadlines(_ index: Int, now: Instant) {
        runStateDeadline(index, now: now)
        runSessionDeadlines(index, now: now)
        runRenewal(index, now: now)
        if let at = detector.suspicionEnd(of: index), at <= now { declareDead(index, now: now) }
        detector[index].settleFlaps(&effects, now: now)
        if reachability[index].connectRequests.nextAt <= now { sendConnectRequest(index, now: now) }
        if reachability[index].dials.tunnelAt <= now { joinDialsByTunnel(index, now: now) }
        if membership[index].versions.dueAt <= now {
            membership.sendVersions(to: index, neighbours, &effects, now: now)
        }
    }

    private mutating func runStateDeadline(_ index: Int, now: Instant) {
        let isDue = links[index].state.dueAt <= now
        switch links[index].state {
        case .down, .awaitingDecision: if isDue { beginAttempt(index, now: now) }
        case .connecting: if isDue { failAttempt(index, .noHello, now: now) }
        case .inviting, .awaitingInvite: if isDue { failAttempt(index, .noAnswer, now: now) }
        case .up:
            if links[index].stableAt <= now { reachability[index].forgetFailures() }
            if let silentAt = paths[index].current?.silentAt, silentAt <= now { startVerifying(index, now: now) }
        case .verifying: verify(index, now: now)
        }
    }

    private mutating func runSessionDeadlines(_ index: Int, now: Instant) {
        if links[index].retiredUntil <= now { links.dropRetired(index) }
        if links[index].keysExpireAt <= now { expireKeys(index, now: now) }
        if links[index].rekeyAt <= now { rekey(index, now: now) }
        if paths[index].candidateDueAt <= now { probeCandidate(index, now: now) }
        if paths[index].controlDueAt <= now { sendHeartbeat(index, now: now) }
        if let probeAt = paths[index].current?.table.nextProbe, probeAt <= now { probePaths(index, now: now) }
    }

    private mutating func runNodeDeadlines(now: Instant) {
        if reachability.announcement.expiresAt <= now { announceSealed(now: now) }
        if reachability.beacon.nextAt <= now { sendBeacon(now: now) }
        if reachability.servicesDueAt(in: serviceSearch, now: now) <= now { tryServices(now: now) }
        if membership.gossip.newsDueAt <= now { membership.pushNews(to: neighbours, &effects, now: now) }
        if membership.linkStatesSchedule.dueAt <= now { membership.sendLinkStates(to: neighbours, &effects, now: now) }
        if membership.gossip.digestExpiresAt <= now {
            membership.markSeenByNeighbours(neighbours, now: now)
            refreshDigest(now: now)
        }
        if membership.instanceAdvance.deadline <= now { membership.requestAdvance(&effects, now: now) }
        if reachability.deadRetryAt <= now { retryDead(now: now) }
        if links.carriers.nextOverdueAt <= now { dropSilentCarriers(now: now) }
        endOutage(now: now)
        startRuns(now: now)
        runEpochs(now: now)
        if reachability.dialer.nextDeadline <= now { dropSlowDials(now: now) }
        if relay.nextDeadline <= now { runTunnels(now: now) }
    }
}
