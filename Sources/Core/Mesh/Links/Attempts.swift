import Primitives
import Wire

/// The life of attempts and links. Every change from one state to another goes through `setState`.
extension MeshNode {
    mutating func setState(_ index: Int, _ event: LinkEvent) {
        let before = peers[index].state
        peers[index].state.apply(event)
        deadlines.needsRefresh = true
        guard before.isLinked != peers[index].state.isLinked else { return }
        membership.clique.isStale = true
        reviewSuspicions()
    }

    /// Starts an attempt after a wait: dials the known addresses, or asks a neighbour for a tunnel. Gives up if the
    /// peer is no longer wanted.
    mutating func beginAttempt(_ index: Int, now: Instant) {
        guard now < reachability[index].wantedUntil || isWanted(peers[index].node, now: now),
            !isBlocked(peers[index].node)
        else {
            giveUp(index)
            return
        }
        setState(index, .opening(now: now))
        planDials(index, now: now)
        if !reachability[index].dials.isOver {
            startDials(now: now)
        } else if !askNeighbour(index, now: now) {
            failAttempt(index, .noAddress, now: now)
        }
    }

    func isWanted(_ peer: NodeID, now: Instant) -> Bool {
        guard let entry = membership.roster[peer] else { return false }
        return entry.counts(now: now)
    }

    /// Whether the peer is not expected back: it is dead, or it has left and no later boot is known.
    func isGone(_ index: Int, now: Instant) -> Bool {
        switch detector[index].presence {
        case .dead: true
        case .left: !isWanted(peers[index].node, now: now)
        case .unmet, .present, .suspected: false
        }
    }

    private mutating func giveUp(_ index: Int) {
        reachability[index].connectRequests.end()
        clearAttempt(index)
        setState(index, .ended(dialAt: .distantFuture))
    }

    /// Ends a failed attempt. The wait for the next attempt grows with each failure.
    mutating func failAttempt(_ index: Int, _ failure: LinkFailure, now: Instant) {
        counters.count(.attemptsFailed)
        peers[index].lastFailure = failure
        clearAttempt(index)
        setState(index, .failed(countFailure(index, now: now)))
        if case .unmet = detector[index].presence, isWanted(peers[index].node, now: now) {
            suspect(index, .indirect, now: now)
        }
        if !peers[index].isLeader { reachability[index].connectRequests.begin(now: now) }
    }

    /// Counts a failure of the peer and returns the wait that follows. Without a network no peer can be reached, so
    /// the failure is not counted.
    mutating func countFailure(_ index: Int, now: Instant) -> LinkRetry {
        guard hasNetwork else { return .backoff(until: now + MeshLimits.offlineRetry) }
        if isGone(index, now: now) { return countFailureOfGone(index, now: now) }
        let retry = reachability[index].backoff.fail(now: now, random: &random)
        if case .quarantine(let until) = retry {
            counters.count(.quarantines)
            // A living link lacks only a carrier, so its quarantine is not reported.
            guard !peers[index].state.isLinked else { return retry }
            outputs.append(.event(.quarantined(peers[index].node, until: until)))
        }
        resetIfFaultIsHere(now: now)
        return retry
    }

    /// Schedules no attempt for a gone peer: a dead peer waits for the random retry. If a hint led to the failed
    /// attempt, the next hint is used only after a backoff.
    private mutating func countFailureOfGone(_ index: Int, now: Instant) -> LinkRetry {
        if reachability[index].isHinted {
            reachability[index].isHinted = false
            switch reachability[index].backoff.fail(now: now, random: &random) {
            case .backoff(let until), .quarantine(let until): reachability[index].hintsUsedAt = until
            }
        }
        return .backoff(until: .distantFuture)
    }

    /// Cancels the dials, drops the candidate and closes every carrier except the session's.
    mutating func clearAttempt(_ index: Int) {
        dropCandidate(index)
        clearAttempt(index, keeping: { _ in false })
    }

    mutating func clearAttempt(_ index: Int, keeping isKept: (CarrierEntry) -> Bool) {
        cancelDials(of: index)
        let own = peers[index].session?.carrier
        for line in carriers.lines(of: peers[index].slot) where line.id != own && !isKept(line) {
            closeQuietly(line.id)
        }
    }

    // MARK: Up and down

    /// Makes the candidate the session, after the candidate's first echo. The replaced session still opens datagrams
    /// that are under way.
    mutating func promote(_ index: Int, now: Instant) {
        guard let candidate = peers[index].candidate else { return }
        let wasLinked = peers[index].state.isLinked
        peers[index].candidate = nil
        if let former = peers[index].session {
            counters.count(.sessionsReplaced)
            dropRetired(index)
            candidate.controlLoss = former.controlLoss
            candidate.controlLoss.restart()
            if let carrier = former.carrier, carrier != candidate.carrier { closeQuietly(carrier) }
            let until = now + MeshLimits.retiredSessionLifetime
            peers[index].retired = RetiredSession(session: former, until: until)
        }
        peers[index].session = candidate
        reachability[index].neighboursAsked = []
        peers[index].refusalsInARow = 0
        let interval = nextControlInterval()
        peers[index].session?.controlDueAt = now + interval
        peers[index].renewal = .none
        cancelDials(of: index)
        if case .up = peers[index].state {} else { setState(index, .echoed(now: now)) }
        if wasLinked { membership.linkAdvertisement.change(now: now) } else { announceUp(index, now: now) }
        remember(index)
        greetSession(index, now: now)
        acceptLinkStatesBeforeEcho(index, now: now)
        scheduleRenewal(index, now: now)
    }

    /// Brings the link up after an echo over a sleeping session, without a handshake.
    mutating func wake(_ index: Int, now: Instant) {
        if let negotiation = peers[index].state.negotiation, peers[index].candidate != nil {
            peers[index].renewal = .negotiating(negotiation)
        } else {
            cancelDials(of: index)
        }
        setState(index, .echoed(now: now))
        reachability[index].neighboursAsked = []
        peers[index].refusalsInARow = 0
        peers[index].session?.controlLoss.restart()
        peers[index].session?.controlDueAt = now
        announceUp(index, now: now)
        remember(index)
        greetSession(index, now: now)
        scheduleRenewal(index, now: now)
    }

    private mutating func announceUp(_ index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        let peer = peers[index].node
        counters.count(.linksUp)
        reachability[index].connectRequests.end()
        peers[index].lastFailure = nil
        becomePresent(index, now: now)
        membership.linkAdvertisement.change(detector[index].flaps.isDamped ? .flap : .link, now: now)
        peers[index].hasBeenUp = true
        markSeen(peer, at: now, now: now)
        let name = membership.roster[peer]?.record.name ?? SafeText("")
        outputs.append(.event(.peerUp(peers[index].slot, peer, session.instance, name: name)))
        paths[index].advertisedPath = AdvertisedPath()
        if session.bootNonce != membership[index].channelsSaidBy { membership[index].channels = [] }
        if session.bootNonce != membership[index].channelsUnread?.saidBy { membership[index].channelsUnread = nil }
        if !membership[index].channels.isEmpty { reportChannels(of: index) }
        if reachability[index].isLearnedByGossip {
            reachability[index].isLearnedByGossip = false
            outputs.append(.event(.holeRepaired(peer)))
        }
    }

    private mutating func remember(_ index: Int) {
        let name = membership.roster[peers[index].node]?.record.name ?? SafeText("")
        outputs.append(.remember(peers[index].node, name: name, endpoints: reachability[index].addresses.lasting))
    }

    /// Takes the link down after no probe was echoed. The session sleeps and keeps its keys, because the outage may
    /// be short.
    mutating func loseLink(_ index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        peers[index].lastFailure = .silent
        markSeen(peers[index].node, at: session.heardAt, now: now)
        announceDown(index, session.instance, .silent, now: now)
        judgePresence(index, after: .silent, wasLinked: true, now: now)
        // A candidate with serving keys lacks only its echo, and the peer may already have one. It stays.
        let agreed = peers[index].candidate?.isServing == true ? peers[index].renewal.negotiation : nil
        if agreed == nil { dropCandidate(index) }
        // A carrier that has just opened and has no HELLO yet leads to a living peer, mostly a restarted one. It
        // stays open.
        clearAttempt(index) { $0.greeting == nil || $0.id == agreed?.carrier }
        peers[index].renewal = .none
        peers[index].session?.sleepInterval = MeshLimits.controlInterval
        peers[index].session?.controlDueAt = now + MeshLimits.controlInterval
        setState(index, .lost(countFailure(index, now: now)))
        forgetRelay(peers[index].node, now: now)
        let isAnswering = carriers.lines.contains { $0.slot == peers[index].slot && $0.greeting == nil }
        if isAnswering || agreed != nil { setState(index, .opening(now: now)) }
        if let agreed { setState(index, peers[index].isLeader ? .invited(agreed) : .awaits(agreed)) }
        if !peers[index].isLeader { reachability[index].connectRequests.begin(now: now) }
        reachability[index].wantedUntil = now + MeshLimits.seenMax
    }

    /// Ends a session whose keys have expired. If the link was up or verifying, an attempt starts at once. If the
    /// link was down, its wait or attempt goes on: both sides drop the session at the same instant, and would
    /// otherwise dial at the same time.
    mutating func expireKeys(_ index: Int, now: Instant) {
        counters.count(.keysExpired)
        let dialAt = peers[index].state.isLinked ? now : nil
        endSession(index, .keysExpired, dialAt: dialAt, now: now)
    }

    /// Ends the session for good: releases its keys and closes its carrier.
    /// - Parameter dialAt: when the next attempt starts; nil if the present wait or attempt goes on.
    mutating func endSession(_ index: Int, _ reason: DownReason, dialAt: Instant?, now: Instant) {
        let wasLinked = peers[index].state.isLinked
        let instance = peers[index].session?.instance
        if wasLinked, let session = peers[index].session { markSeen(peers[index].node, at: session.heardAt, now: now) }
        if let carrier = peers[index].session?.carrier { closeQuietly(carrier) }
        if let keyIDs = peers[index].session?.keyIDs { release(keyIDs) }
        peers[index].session = nil
        dropRetired(index)
        peers[index].renewal = .none
        // The channel list may have come with the candidate, and the peer sends it only once.
        if peers[index].candidate == nil { (membership[index].channels, membership[index].channelsUnread) = ([], nil) }
        membership[index].links = []
        membership[index].linkStatesDigest = nil
        membership[index].versions.end()
        if wasLinked, let instance { announceDown(index, instance, reason, now: now) }
        judgePresence(index, after: reason, wasLinked: wasLinked, now: now)
        if let dialAt, wasLinked || peers[index].candidate == nil { setState(index, .ended(dialAt: dialAt)) }
        if wasLinked { forgetRelay(peers[index].node, now: now) }
        membership.clique.isStale = true
    }

    private mutating func announceDown(_ index: Int, _ instance: Instance, _ reason: DownReason, now: Instant) {
        counters.count(.linksDown)
        if paths[index].isTalking {
            paths[index].isTalking = false
            outputs.append(.event(.peerTalking(peers[index].slot, peers[index].node, false)))
        }
        paths[index].takesPlain = false
        if paths[index].isRecording {
            paths[index].isRecording = false
            outputs.append(.event(.peerRecording(peers[index].slot, peers[index].node, false)))
        }
        paths[index].peerReport = nil
        paths[index].ownReport = nil
        if reason.isAccident { countFlap(index, now: now) }
        membership.linkAdvertisement.change(detector[index].flaps.isDamped ? .flap : .link, now: now)
        outputs.append(.event(.peerDown(peers[index].slot, peers[index].node, instance, reason)))
    }

    mutating func dropCandidate(_ index: Int) {
        guard let keyIDs = peers[index].candidate?.keyIDs else { return }
        release(keyIDs)
        peers[index].candidate = nil
    }

    mutating func dropRetired(_ index: Int) {
        guard let keyIDs = peers[index].retired?.session.keyIDs else { return }
        release(keyIDs)
        peers[index].retired = nil
    }

    private mutating func release(_ ids: [UInt32]) {
        for id in ids { keyIDs.release(id) }
    }
}
