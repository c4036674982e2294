import Primitives
import Wire

/// The life of attempts and links. Every change from one state to another goes through `setState`.
extension MeshNode {
    mutating func setState(_ index: Int, _ event: LinkEvent) {
        let before = links[index].state
        links[index].state.apply(event)
        effects.invalidateDeadlines()
        guard before.isLinked != links[index].state.isLinked else { return }
        membership.clique.isStale = true
        reviewSuspicions()
    }

    /// Starts an attempt after a wait: dials the known addresses, or asks a neighbour for a tunnel. Gives up if the
    /// peer is no longer wanted.
    mutating func beginAttempt(_ index: Int, now: Instant) {
        guard now < reachability[index].wantedUntil || isWanted(links[index].node, now: now),
            !isBlocked(links[index].node)
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
        case .left: !isWanted(links[index].node, now: now)
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
        effects.count(.attemptsFailed)
        links[index].lastFailure = failure
        clearAttempt(index)
        setState(index, .failed(countFailure(index, now: now)))
        if case .unmet = detector[index].presence, isWanted(links[index].node, now: now) {
            suspect(index, .indirect, now: now)
        }
        if !links[index].isLeader { reachability[index].connectRequests.begin(now: now) }
    }

    /// Counts a failure of the peer and returns the wait that follows. Without a network no peer can be reached, so
    /// the failure is not counted.
    mutating func countFailure(_ index: Int, now: Instant) -> LinkRetry {
        guard hasNetwork else { return .backoff(until: now + MeshLimits.offlineRetry) }
        if isGone(index, now: now) { return countFailureOfGone(index, now: now) }
        let retry = reachability[index].backoff.fail(now: now, random: &effects.random)
        if case .quarantine(let until) = retry {
            effects.count(.quarantines)
            // A living link lacks only a carrier, so its quarantine is not reported.
            guard !links[index].state.isLinked else { return retry }
            effects.report(.quarantined(links[index].node, until: until))
        }
        resetIfFaultIsHere(now: now)
        return retry
    }

    /// Schedules no attempt for a gone peer: a dead peer waits for the random retry. If a hint led to the failed
    /// attempt, the next hint is used only after a backoff.
    private mutating func countFailureOfGone(_ index: Int, now: Instant) -> LinkRetry {
        if reachability[index].isHinted {
            reachability[index].isHinted = false
            switch reachability[index].backoff.fail(now: now, random: &effects.random) {
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
        let own = links[index].session?.carrier
        for line in links.carriers.lines(of: links[index].slot) where line.id != own && !isKept(line) {
            closeQuietly(line.id)
        }
    }

    // MARK: Up and down

    /// Makes the candidate the session, after the candidate's first echo. The replaced session still opens datagrams
    /// that are under way.
    mutating func promote(_ index: Int, now: Instant) {
        guard let candidate = links[index].candidate else { return }
        let wasLinked = links[index].state.isLinked
        links[index].candidate = nil
        if let former = links[index].session {
            effects.count(.sessionsReplaced)
            dropRetired(index)
            if let before = paths[index].session {
                paths[index].candidate?.controlLoss = before.controlLoss
                paths[index].candidate?.controlLoss.restart()
            }
            if let carrier = former.carrier, carrier != candidate.carrier { closeQuietly(carrier) }
            let until = now + MeshLimits.retiredSessionLifetime
            links[index].retired = RetiredSession(session: former, until: until)
        }
        links[index].session = candidate
        paths[index].session = paths[index].candidate
        paths[index].candidate = nil
        (membership[index].linksDeferred, membership[index].recordsDigest) = (nil, nil)
        reachability[index].neighboursAsked = []
        links[index].refusalsInARow = 0
        let interval = nextControlInterval()
        paths[index].session?.controlDueAt = now + interval
        links[index].renewal = .none
        cancelDials(of: index)
        if case .up = links[index].state {} else { setState(index, .echoed(now: now)) }
        if wasLinked { membership.linkAdvertisement.change(now: now) } else { announceUp(index, now: now) }
        remember(index)
        greetSession(index, now: now)
        acceptLinkStatesBeforeEcho(index, now: now)
        scheduleRenewal(index, now: now)
    }

    /// Brings the link up after an echo over a sleeping session, without a handshake.
    mutating func wake(_ index: Int, now: Instant) {
        if let negotiation = links[index].state.negotiation, links[index].candidate != nil {
            links[index].renewal = .negotiating(negotiation)
        } else {
            cancelDials(of: index)
        }
        setState(index, .echoed(now: now))
        reachability[index].neighboursAsked = []
        links[index].refusalsInARow = 0
        paths[index].session?.controlLoss.restart()
        paths[index].session?.controlDueAt = now
        announceUp(index, now: now)
        remember(index)
        greetSession(index, now: now)
        scheduleRenewal(index, now: now)
    }

    private mutating func announceUp(_ index: Int, now: Instant) {
        guard let session = links[index].session else { return }
        let peer = links[index].node
        effects.count(.linksUp)
        reachability[index].connectRequests.end()
        links[index].lastFailure = nil
        becomePresent(index, now: now)
        membership.linkAdvertisement.change(detector[index].flaps.isDamped ? .flap : .link, now: now)
        links[index].hasBeenUp = true
        markSeen(peer, at: now, now: now)
        let name = membership.roster[peer]?.record.name ?? SafeText("")
        effects.report(.peerUp(links[index].slot, peer, session.instance, name: name))
        paths[index].advertisedPath = AdvertisedPath()
        if session.bootNonce != membership[index].channelsSaidBy { membership[index].channels = [] }
        if session.bootNonce != membership[index].channelsUnread?.saidBy { membership[index].channelsUnread = nil }
        if !membership[index].channels.isEmpty { reportChannels(of: index) }
        if reachability[index].isLearnedByGossip {
            reachability[index].isLearnedByGossip = false
            effects.report(.holeRepaired(peer))
        }
    }

    private mutating func remember(_ index: Int) {
        let name = membership.roster[links[index].node]?.record.name ?? SafeText("")
        effects.output(.remember(links[index].node, name: name, endpoints: reachability[index].addresses.lasting))
    }

    /// Takes the link down after no probe was echoed. The session sleeps and keeps its keys, because the outage may
    /// be short.
    mutating func loseLink(_ index: Int, now: Instant) {
        guard let session = links[index].session, let heardAt = paths[index].session?.heardAt else { return }
        links[index].lastFailure = .silent
        markSeen(links[index].node, at: heardAt, now: now)
        announceDown(index, session.instance, .silent, now: now)
        judgePresence(index, after: .silent, wasLinked: true, now: now)
        // A candidate with serving keys lacks only its echo, and the peer may already have one. It stays.
        let agreed = links[index].candidate?.isServing == true ? links[index].renewal.negotiation : nil
        if agreed == nil { dropCandidate(index) }
        // A carrier that has just opened and has no HELLO yet leads to a living peer, mostly a restarted one. It
        // stays open.
        clearAttempt(index) { $0.greeting == nil || $0.id == agreed?.carrier }
        links[index].renewal = .none
        paths[index].session?.sleepInterval = MeshLimits.controlInterval
        paths[index].session?.controlDueAt = now + MeshLimits.controlInterval
        setState(index, .lost(countFailure(index, now: now)))
        forgetRelay(links[index].node, now: now)
        let isAnswering = links.carriers.lines.contains { $0.slot == links[index].slot && $0.greeting == nil }
        if isAnswering || agreed != nil { setState(index, .opening(now: now)) }
        if let agreed { setState(index, links[index].isLeader ? .invited(agreed) : .awaits(agreed)) }
        if !links[index].isLeader { reachability[index].connectRequests.begin(now: now) }
        reachability[index].wantedUntil = now + MeshLimits.seenMax
    }

    /// Ends a session whose keys have expired. If the link was up or verifying, an attempt starts at once. If the
    /// link was down, its wait or attempt goes on: both sides drop the session at the same instant, and would
    /// otherwise dial at the same time.
    mutating func expireKeys(_ index: Int, now: Instant) {
        effects.count(.keysExpired)
        let dialAt = links[index].state.isLinked ? now : nil
        endSession(index, .keysExpired, dialAt: dialAt, now: now)
    }

    /// Ends the session for good: releases its keys and closes its carrier.
    /// - Parameter dialAt: when the next attempt starts; nil if the present wait or attempt goes on.
    mutating func endSession(_ index: Int, _ reason: DownReason, dialAt: Instant?, now: Instant) {
        let wasLinked = links[index].state.isLinked
        let instance = links[index].session?.instance
        if wasLinked, let heardAt = paths[index].session?.heardAt { markSeen(links[index].node, at: heardAt, now: now) }
        if let carrier = links[index].session?.carrier { closeQuietly(carrier) }
        if let keyIDs = links[index].session?.keyIDs { release(keyIDs) }
        links[index].session = nil
        paths[index].session = nil
        (membership[index].linksDeferred, membership[index].recordsDigest) = (nil, nil)
        dropRetired(index)
        links[index].renewal = .none
        // The channel list may have come with the candidate, and the peer sends it only once.
        if links[index].candidate == nil { (membership[index].channels, membership[index].channelsUnread) = ([], nil) }
        membership[index].links = []
        membership[index].linkStatesDigest = nil
        membership[index].versions.end()
        if wasLinked, let instance { announceDown(index, instance, reason, now: now) }
        judgePresence(index, after: reason, wasLinked: wasLinked, now: now)
        if let dialAt, wasLinked || links[index].candidate == nil { setState(index, .ended(dialAt: dialAt)) }
        if wasLinked { forgetRelay(links[index].node, now: now) }
        membership.clique.isStale = true
    }

    private mutating func announceDown(_ index: Int, _ instance: Instance, _ reason: DownReason, now: Instant) {
        effects.count(.linksDown)
        if paths[index].isTalking {
            paths[index].isTalking = false
            effects.report(.peerTalking(links[index].slot, links[index].node, false))
        }
        paths[index].takesPlain = false
        if paths[index].isRecording {
            paths[index].isRecording = false
            effects.report(.peerRecording(links[index].slot, links[index].node, false))
        }
        paths[index].peerReport = nil
        paths[index].ownReport = nil
        if reason.isAccident { countFlap(index, now: now) }
        membership.linkAdvertisement.change(detector[index].flaps.isDamped ? .flap : .link, now: now)
        effects.report(.peerDown(links[index].slot, links[index].node, instance, reason))
    }

    mutating func dropCandidate(_ index: Int) {
        guard let keyIDs = links[index].candidate?.keyIDs else { return }
        release(keyIDs)
        links[index].candidate = nil
        paths[index].candidate = nil
        membership[index].linksBeforeEcho = nil
    }

    mutating func dropRetired(_ index: Int) {
        guard let keyIDs = links[index].retired?.session.keyIDs else { return }
        release(keyIDs)
        links[index].retired = nil
    }

    private mutating func release(_ ids: [UInt32]) {
        for id in ids { links.keyIDs.release(id) }
    }
}
