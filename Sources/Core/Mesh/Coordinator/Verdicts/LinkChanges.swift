import Primitives
import Wire

/// Links that come up and go down.
extension MeshNode {
    /// Changes the state of a link. When the link comes up or goes down, the suspicions of other peers are reviewed,
    /// because this node's neighbours have changed.
    mutating func setState(_ index: Int, _ event: LinkEvent) {
        guard links.setState(index, event, &effects) else { return }
        membership.invalidateClique()
        reviewSuspicions()
    }

    // MARK: Up

    /// Makes the candidate the session, after the candidate's first echo. The replaced session still opens datagrams
    /// that are under way.
    mutating func promote(_ index: Int, now: Instant) {
        guard links[index].candidate != nil else { return }
        let (wasLinked, wasStale) = (links[index].state.isLinked, links[index].isStale)
        let (listening, linkStates) = (membership[index].listening, membership[index].links)
        let isSameBoot = links[index].session?.bootNonce == links[index].candidate?.bootNonce
        links.promoteCandidate(of: index, &effects, now: now)
        paths[index].useCandidatePaths()
        paths[index].current?.scheduleControl(&effects, now: now)
        membership.beginSession(of: index, isSameBoot: isSameBoot)
        reachability[index].forgetNeighboursAsked()
        reachability.cancelDials(of: index, &effects)
        if !links[index].state.isUp { setState(index, .echoed(now: now)) }
        if wasLinked { membership.scheduleLinkStates(now: now) } else { reportUp(index, now: now) }
        if wasStale { announceRefreshed(index, now: now) }
        reportSession(of: index)
        remember(index)
        beginGossip(with: index, now: now)
        // The peer may have sent its channels while the session was only a candidate.
        if wasLinked { followChannels(of: index, after: listening) }
        followLinkStates(of: index, after: linkStates, now: now)
        scheduleRenewal(index, now: now)
    }

    /// Brings the link up again without a handshake: an echo came over its session, which slept (was kept with its
    /// keys) while the link was down.
    mutating func bringUpSleeping(_ index: Int, now: Instant) {
        let isNegotiating = links[index].wake()
        if !isNegotiating { reachability.cancelDials(of: index, &effects) }
        setState(index, .echoed(now: now))
        reachability[index].forgetNeighboursAsked()
        paths[index].current?.wake(now: now)
        reportUp(index, now: now)
        reportSession(of: index)
        remember(index)
        beginGossip(with: index, now: now)
        scheduleRenewal(index, now: now)
    }

    /// Ends the staleness of a link: an echo has come, so the peer lives, and others are told of the link again.
    mutating func refreshLink(_ index: Int, now: Instant) {
        links[index].refresh()
        announceRefreshed(index, now: now)
        membership.scheduleLinkStates(now: now)
        beginGossip(with: index, now: now)
        effects.invalidateDeadlines()
    }

    private mutating func announceRefreshed(_ index: Int, now: Instant) {
        markSeen(links[index].node, at: now, now: now)
        membership.invalidateClique()
        reviewSuspicions()
        // While the link was stale, the peer was not sent changes of this node's record.
        if let carrier = links[index].session?.carrier { effects.push([membership.own.signed], on: carrier) }
    }

    private mutating func reportUp(_ index: Int, now: Instant) {
        guard let session = links[index].session else { return }
        let peer = links[index].node
        effects.count(.linksUp)
        reachability[index].endConnectRequests()
        becomePresent(index, now: now)
        membership.scheduleLinkStates(after: detector[index].flaps.isDamped ? .flap : .link, now: now)
        links[index].recordLinkUp()
        markSeen(peer, at: now, now: now)
        let name = membership.name(of: peer)
        effects.report(.peerUp(links[index].slot, peer, session.instance, name: name))
        paths[index].linkUp()
        reportChannelsOfLinked(index)
        reachability[index].reportRepair(&effects)
    }

    private mutating func remember(_ index: Int) {
        let name = membership.name(of: links[index].node)
        reachability[index].remember(name: name, &effects)
    }

    // MARK: Down

    /// Takes the link down, because no probe was echoed. The session sleeps and keeps its keys, because the outage may
    /// be short.
    mutating func loseLink(_ index: Int, now: Instant) {
        guard let session = links[index].session, let heardAt = paths[index].current?.heardAt else { return }
        links[index].recordFailure(.silent)
        if !links[index].isStale { markSeen(links[index].node, at: heardAt, now: now) }
        announceDown(index, session.instance, .silent, now: now)
        judgePresence(index, after: .silent, wasLinked: true, now: now)
        // If both sides have the keys of the candidate session, only this node's first echo is missing. The peer may
        // have received its own first echo, and may use the candidate as its session already. So the candidate stays.
        let agreed = links[index].agreedRenewal
        if agreed == nil { dropCandidate(index) }
        // A carrier that has just opened and has no HELLO yet leads to a living peer, mostly a restarted one. It
        // stays open.
        cancelDialsAndCarriers(of: index) { $0.greeting == nil || $0.id == agreed?.carrier }
        links[index].endRenewal()
        paths[index].current?.sleep(now: now)
        setState(index, .lost(dialAt: countFailure(index, now: now)))
        forgetRelay(links[index].node, now: now)
        if agreed != nil || links.hasSilentCarrier(index) { setState(index, .opening(now: now)) }
        if let agreed { setState(index, links[index].isLeader ? .invited(agreed) : .awaits(agreed)) }
        if !links[index].isLeader { reachability[index].beginConnectRequests(now: now) }
        reachability[index].want(now: now)
    }

    /// Ends a session whose keys have expired. If the link was up or in verification, an attempt starts at once. If the
    /// link was down, its present wait or attempt goes on: both nodes end the session at nearly the same time, and the
    /// waits keep them from dialling each other at once.
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
        if wasLinked, !links[index].isStale, let heardAt = paths[index].current?.heardAt {
            markSeen(links[index].node, at: heardAt, now: now)
        }
        links.endSession(of: index, &effects)
        paths[index].endSession()
        membership[index].endSession()
        if wasLinked, let instance { announceDown(index, instance, reason, now: now) }
        judgePresence(index, after: reason, wasLinked: wasLinked, now: now)
        if let dialAt, wasLinked || links[index].candidate == nil { setState(index, .ended(dialAt: dialAt)) }
        if wasLinked { forgetRelay(links[index].node, now: now) }
        membership.invalidateClique()
    }

    private mutating func announceDown(_ index: Int, _ instance: Instance, _ reason: DownReason, now: Instant) {
        effects.count(.linksDown)
        paths[index].linkDown(&effects)
        if reason.isFlap { detector[index].countFlap(&effects, now: now) }
        membership.scheduleLinkStates(after: detector[index].flaps.isDamped ? .flap : .link, now: now)
        effects.report(.peerDown(links[index].slot, links[index].node, instance, reason))
    }

    // MARK: Candidate

    mutating func dropCandidate(_ index: Int) {
        guard links.dropCandidate(index) else { return }
        paths[index].dropCandidate()
        membership[index].dropCandidate()
    }
}
