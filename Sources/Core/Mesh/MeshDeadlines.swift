import Primitives

/// The waits of each peer and of the node, and the work that is due at their end.
extension MeshNode {
    mutating func runDeadlines(now: Instant) {
        var areDialsDue = false
        for index in peers.indices where deadlines.isDue(peer: index, now: now) {
            runPeerDeadlines(index, now: now)
            areDialsDue = areDialsDue || peers[index].dials.nextAt <= now
            refreshDeadline(of: index, now: now)
        }
        if areDialsDue || isStaticDialDue(now: now) { startDials(now: now) }
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
        peers[index].considerWaits(&earliest, healthFactor: health.factor, suspicion: configuration.suspicion)
        if case .verifying(let verification) = peers[index].state {
            earliest.consider(verificationEnd(verification), .silence)
        }
        let dialAt = peers[index].dials.nextAt
        if dialAt != .distantFuture, let start = dialer.nextStart(now: now) {
            earliest.consider(max(dialAt, start), .dial)
        }
        deadlines.set(earliest.deadline, ofPeer: index)
    }

    private mutating func refreshNodeDeadline(now: Instant) {
        var earliest = EarliestDeadline()
        earliest.consider(beacon.nextAt, .beacon)
        earliest.consider(gossip.newsDueAt, .gossip)
        earliest.consider(linkAdvertisement.dueAt, .linkStates)
        earliest.consider(gossip.digestExpiresAt, .record)
        earliest.consider(instanceAdvance.deadline, .advance)
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
        if peers[index].connectRequests.nextAt <= now { sendConnectRequest(index, now: now) }
        if peers[index].dials.tunnelAt <= now { joinDialsByTunnel(index, now: now) }
        if peers[index].versions.dueAt <= now { sendVersions(to: index, now: now) }
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
            // Without a carrier the failures are not forgotten yet.
            if since + PeerLink.stableAfter <= now, peers[index].session?.carrier != nil {
                peers[index].backoff.clear()
            }
            if let silentAt = peers[index].session?.silentAt, silentAt <= now { startProbing(index, now: now) }
        case .verifying:
            verify(index, now: now)
        }
    }

    private mutating func runSessionDeadlines(_ index: Int, now: Instant) {
        if peers[index].retiredUntil <= now { dropRetired(index) }
        if peers[index].keysExpireAt <= now { expireKeys(index, now: now) }
        if peers[index].rekeyAt <= now { rekey(index, now: now) }
        if peers[index].candidateDueAt <= now { probeCandidate(index, now: now) }
        if peers[index].controlDueAt <= now { sendHeartbeat(index, now: now) }
        if peers[index].pathProbeAt <= now { probePaths(index, now: now) }
        if peers[index].linkStatesReadAt <= now { readLate(index, now: now) }
        if peers[index].channelsReadAt <= now { readChannelsLate(index, now: now) }
    }

    private mutating func runNodeDeadlines(now: Instant) {
        if beacon.nextAt <= now { sendBeacon(now: now) }
        if gossip.newsDueAt <= now { pushNews(now: now) }
        if linkAdvertisement.dueAt <= now { sendLinkStates(now: now) }
        if gossip.digestExpiresAt <= now {
            markSeenByNeighbours(now: now)
            refreshDigest(now: now)
        }
        if instanceAdvance.deadline <= now { requestAdvance(now: now) }
        if deadRetryAt <= now { retryDead(now: now) }
        if carriers.nextHelloDeadline <= now { dropSilentCarriers(now: now) }
        if dialer.nextDeadline <= now { dropSlowDials(now: now) }
        if tunnels.nextDeadline <= now { runTunnels(now: now) }
    }
}

extension PeerLink {
    fileprivate static var stableAfter: Interval { MeshLimits.stableAfter }

    /// Considers every wait of this peer that does not depend on the rest of the node. The next dial and the end of a
    /// verification do.
    // Mutating, because it runs after every packet: the peer is read in place and not copied.
    fileprivate mutating func considerWaits(
        _ earliest: inout EarliestDeadline, healthFactor: Int64, suspicion policy: SuspicionPolicy
    ) {
        considerState(&earliest)
        considerSessions(&earliest)
        earliest.consider(renewal.deadline, .carrier)
        earliest.consider(connectRequests.nextAt, .retry)
        if let at = presence.suspicion?.deadline(healthFactor: healthFactor, policy: policy) {
            earliest.consider(at, .suspicion)
        }
        if flaps.isDamped { earliest.consider(flaps.calmAt, .flap) }
        earliest.consider(dials.tunnelAt, .dial)
    }

    private mutating func considerState(_ earliest: inout EarliestDeadline) {
        switch state {
        case .down(let dialAt): earliest.consider(dialAt, .retry)
        case .connecting(let since): earliest.consider(since + MeshLimits.helloWaitMax, .handshake)
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            earliest.consider(negotiation.deadline, .handshake)
        case .awaitingDecision(let until), .quarantined(let until): earliest.consider(until, .retry)
        case .up(let since):
            guard let session else { return }
            if 0 < backoff.failures, session.carrier != nil {
                earliest.consider(since + PeerLink.stableAfter, .stability)
            }
            earliest.consider(session.silentAt, .silence)
        case .verifying(let verification): earliest.consider(verification.nextProbeAt, .probe)
        }
    }

    private mutating func considerSessions(_ earliest: inout EarliestDeadline) {
        earliest.consider(controlDueAt, .control)
        earliest.consider(pathProbeAt, .pathProbe)
        earliest.consider(keysExpireAt, .keyExpiry)
        earliest.consider(rekeyAt, .rekey)
        earliest.consider(candidateDueAt, .control)
        earliest.consider(retiredUntil, .keyExpiry)
        earliest.consider(versions.dueAt, .gossip)
        earliest.consider(linkStatesReadAt, .linkStates)
        earliest.consider(channelsReadAt, .gossip)
    }

    fileprivate var controlDueAt: Instant { mutating get { session?.controlDueAt ?? .distantFuture } }
    fileprivate var pathProbeAt: Instant { mutating get { session?.paths.nextProbe ?? .distantFuture } }
    fileprivate var keysExpireAt: Instant { mutating get { session?.keysExpireAt ?? .distantFuture } }
    fileprivate var rekeyAt: Instant { mutating get { session?.rekeyAt(isLeader: isLeader) ?? .distantFuture } }
    fileprivate var candidateDueAt: Instant { mutating get { candidate?.controlDueAt ?? .distantFuture } }
    fileprivate var linkStatesReadAt: Instant { mutating get { session?.linkStatesDeferred?.readAt ?? .distantFuture } }
    fileprivate var channelsReadAt: Instant { mutating get { channelsUnread?.readAt ?? .distantFuture } }
    fileprivate var retiredUntil: Instant { mutating get { retired?.until ?? .distantFuture } }
}
