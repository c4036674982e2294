import Primitives
import Wire

/// The life of attempts and links: every change of a peer's state goes through `setState`.
extension MeshNode {
    mutating func setState(_ index: Int, _ event: LinkEvent) {
        let before = peers[index].state
        peers[index].state.apply(event)
        deadlines.needsRefresh = true
        guard before.isLinked != peers[index].state.isLinked else { return }
        clique.isStale = true
        reviewSuspicions()
    }

    /// A wait is over: dial what is known, or give up where nobody is sought any more.
    mutating func beginAttempt(_ index: Int, now: Instant) {
        guard now < peers[index].wantedUntil || isWanted(peers[index].node, now: now), !isBlocked(peers[index].node)
        else {
            giveUp(index)
            return
        }
        setState(index, .opening(now: now))
        planDials(index, now: now)
        if !peers[index].dials.isOver {
            startDials(now: now)
        } else if !askNeighbour(index, now: now) {
            failAttempt(index, .noAddress, now: now)
        }
    }

    func isWanted(_ peer: NodeID, now: Instant) -> Bool {
        guard let entry = roster[peer] else { return false }
        return entry.counts(now: now)
    }

    /// Whether nobody expects it: taken for dead, or it has left, and no later boot was heard of.
    func isGone(_ index: Int, now: Instant) -> Bool {
        switch peers[index].presence {
        case .dead: true
        case .left: !isWanted(peers[index].node, now: now)
        case .unmet, .present, .suspected: false
        }
    }

    private mutating func giveUp(_ index: Int) {
        peers[index].connectRequests.end()
        clearAttempt(index)
        setState(index, .ended(dialAt: .distantFuture))
    }

    /// An attempt came to nothing: wait, longer each time.
    mutating func failAttempt(_ index: Int, _ failure: LinkFailure, now: Instant) {
        counters.count(.attemptsFailed)
        peers[index].lastFailure = failure
        clearAttempt(index)
        setState(index, .failed(countFailure(index, now: now)))
        if case .unmet = peers[index].presence, isWanted(peers[index].node, now: now) {
            suspect(index, .indirect, now: now)
        }
        if !peers[index].isLeader { peers[index].connectRequests.begin(now: now) }
    }

    /// Without a network nobody can be reached, which is no fault of the peer's.
    mutating func countFailure(_ index: Int, now: Instant) -> LinkRetry {
        guard hasNetwork else { return .backoff(until: now + MeshLimits.offlineRetry) }
        if isGone(index, now: now) { return countFailureOfGone(index, now: now) }
        let retry = peers[index].backoff.fail(now: now, random: &random)
        if case .quarantine(let until) = retry {
            counters.count(.quarantines)
            // A link that stands lacks only a carrier.
            guard !peers[index].state.isLinked else { return retry }
            outputs.append(.event(.quarantined(peers[index].node, until: until)))
        }
        resetIfFaultIsHere(now: now)
        return retry
    }

    /// Nothing else was expected; the dead wait for the random retry. Who gave a hint in vain is believed less at once.
    private mutating func countFailureOfGone(_ index: Int, now: Instant) -> LinkRetry {
        if peers[index].isHinted {
            peers[index].isHinted = false
            switch peers[index].backoff.fail(now: now, random: &random) {
            case .backoff(let until), .quarantine(let until): peers[index].hintsHeededAt = until
            }
        }
        return .backoff(until: .distantFuture)
    }

    /// Ends dials, candidate and every carrier but that of the session.
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

    /// The first echo of a candidate: it is the session from now on; a predecessor still opens what
    /// is under way.
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
        peers[index].neighboursAsked = []
        peers[index].refusalsInARow = 0
        let interval = nextControlInterval()
        peers[index].session?.controlDueAt = now + interval
        peers[index].renewal = .none
        cancelDials(of: index)
        if case .up = peers[index].state {} else { setState(index, .echoed(now: now)) }
        if wasLinked { linkAdvertisement.change(now: now) } else { announceUp(index, now: now) }
        remember(index)
        greetSession(index, now: now)
        acceptLinkStatesBeforeEcho(index, now: now)
        scheduleRenewal(index, now: now)
    }

    /// An echo over a session that slept: the outage is over, nothing was lost but time.
    mutating func wake(_ index: Int, now: Instant) {
        if let negotiation = peers[index].state.negotiation, peers[index].candidate != nil {
            peers[index].renewal = .negotiating(negotiation)
        } else {
            cancelDials(of: index)
        }
        setState(index, .echoed(now: now))
        peers[index].neighboursAsked = []
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
        peers[index].connectRequests.end()
        peers[index].lastFailure = nil
        becomePresent(index, now: now)
        linkAdvertisement.change(peers[index].flaps.isDamped ? .flap : .link, now: now)
        peers[index].hasBeenUp = true
        markSeen(peer, at: now, now: now)
        let name = roster[peer]?.record.name ?? SafeText("")
        outputs.append(.event(.peerUp(peers[index].slot, peer, session.instance, name: name)))
        peers[index].advertisedPath = AdvertisedPath()
        if session.bootNonce != peers[index].channelsSaidBy { peers[index].channels = [] }
        if session.bootNonce != peers[index].channelsUnread?.saidBy { peers[index].channelsUnread = nil }
        if !peers[index].channels.isEmpty { tellChannels(of: index) }
        if peers[index].isLearnedByGossip {
            peers[index].isLearnedByGossip = false
            outputs.append(.event(.holeRepaired(peer)))
        }
    }

    private mutating func remember(_ index: Int) {
        let name = roster[peers[index].node]?.record.name ?? SafeText("")
        outputs.append(.remember(peers[index].node, name: name, endpoints: peers[index].addresses.lasting))
    }

    /// No probe came back. The session sleeps: its keys stay good for what a short outage was.
    mutating func loseLink(_ index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        peers[index].lastFailure = .silent
        markSeen(peers[index].node, at: session.heardAt, now: now)
        announceDown(index, session.instance, .silent, now: now)
        judgePresence(index, after: .silent, wasLinked: true, now: now)
        // What is agreed already lacks only its echo, and the peer may have that.
        let agreed = peers[index].candidate?.isServing == true ? peers[index].renewal.negotiation : nil
        if agreed == nil { dropCandidate(index) }
        // Whoever has just connected and not spoken yet is alive: a restarted peer, mostly.
        clearAttempt(index) { $0.greeting == nil || $0.id == agreed?.carrier }
        peers[index].renewal = .none
        peers[index].session?.sleepInterval = MeshLimits.controlInterval
        peers[index].session?.controlDueAt = now + MeshLimits.controlInterval
        setState(index, .lost(countFailure(index, now: now)))
        forgetRelay(peers[index].node, now: now)
        let isAnswering = carriers.lines.contains { $0.slot == peers[index].slot && $0.greeting == nil }
        if isAnswering || agreed != nil { setState(index, .opening(now: now)) }
        if let agreed { setState(index, peers[index].isLeader ? .invited(agreed) : .awaits(agreed)) }
        if !peers[index].isLeader { peers[index].connectRequests.begin(now: now) }
        peers[index].wantedUntil = now + MeshLimits.seenMax
    }

    /// Keys that nobody renewed are over. A link that still stood is sought anew; one that was lost before goes on
    /// waiting or trying: both ends forget such a session in one instant, and a dial then would be one by both.
    mutating func expireKeys(_ index: Int, now: Instant) {
        counters.count(.keysExpired)
        let dialAt = peers[index].state.isLinked ? now : nil
        endSession(index, .keysExpired, dialAt: dialAt, now: now)
    }

    /// The session is over for good: keys and carriers go.
    /// - Parameter dialAt: when the next attempt starts; nil where the wait or attempt that there is goes on.
    mutating func endSession(_ index: Int, _ reason: DownReason, dialAt: Instant?, now: Instant) {
        let wasLinked = peers[index].state.isLinked
        let instance = peers[index].session?.instance
        if wasLinked, let session = peers[index].session { markSeen(peers[index].node, at: session.heardAt, now: now) }
        if let carrier = peers[index].session?.carrier { closeQuietly(carrier) }
        if let keyIDs = peers[index].session?.keyIDs { release(keyIDs) }
        peers[index].session = nil
        dropRetired(index)
        peers[index].renewal = .none
        // What is agreed already may have brought them, and they are said once.
        if peers[index].candidate == nil { (peers[index].channels, peers[index].channelsUnread) = ([], nil) }
        peers[index].links = []
        peers[index].linkStatesDigest = nil
        peers[index].versions.end()
        if wasLinked, let instance { announceDown(index, instance, reason, now: now) }
        judgePresence(index, after: reason, wasLinked: wasLinked, now: now)
        if let dialAt, wasLinked || peers[index].candidate == nil { setState(index, .ended(dialAt: dialAt)) }
        if wasLinked { forgetRelay(peers[index].node, now: now) }
        clique.isStale = true
    }

    private mutating func announceDown(_ index: Int, _ instance: Instance, _ reason: DownReason, now: Instant) {
        counters.count(.linksDown)
        if peers[index].isTalking {
            peers[index].isTalking = false
            outputs.append(.event(.peerTalking(peers[index].slot, peers[index].node, false)))
        }
        peers[index].takesPlain = false
        if peers[index].isRecording {
            peers[index].isRecording = false
            outputs.append(.event(.peerRecording(peers[index].slot, peers[index].node, false)))
        }
        peers[index].peerReport = nil
        peers[index].ownReport = nil
        if reason.isAccident { noteFlap(index, now: now) }
        linkAdvertisement.change(peers[index].flaps.isDamped ? .flap : .link, now: now)
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
