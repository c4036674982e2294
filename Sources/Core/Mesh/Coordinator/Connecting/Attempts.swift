import Primitives
import Wire

/// From a hint that a peer is there to an attempt.
extension MeshNode {
    /// Handles a hint that is no record: of a directory such as Avahi, or of an earlier start. A follower always waits
    /// for its leader after it. An address of `--peer` is no hint: it stands in the configuration (`StaticPeers`).
    mutating func learn(_ hint: PeerHint, now: Instant) {
        let peer = hint.node
        guard peer != node, !isBlocked(peer), let index = peerIndex(of: peer) else { return }
        reachability[index].addAddresses(hint)
        startConnecting(index, now: now)
    }

    /// Handles a hint that a peer is there. If the link is down and no attempt is planned, this node starts one. As the
    /// leader of the pair (the greater NodeID) it does so at once, as the follower after `MeshLimits.followerDialWait`.
    /// A beacon or gossip that brings the first record of the peer calls `connectAtOnce` besides, so the follower dials
    /// at once too; `learn` never does. If the peer is dead, or has left and no later boot is known, the attempt may
    /// start later (`useHint`). If this node waits after failed attempts, a hint does not end that wait.
    mutating func startConnecting(_ index: Int, now: Instant) {
        let isGone = isGone(index, now: now)
        if isGone { reachability[index].wantOnce(now: now) } else { reachability[index].want(now: now) }
        guard links[index].state == .down(dialAt: .distantFuture) else { return }
        let at = reachability[index].useHint(
            isLeader: links[index].isLeader, isGone: isGone, &effects, now: now)
        setState(index, .scheduled(dialAt: at))
        if at == now { beginAttempt(index, now: now) }
    }

    /// Ends this node's wait for the next attempt and starts the attempt: a wait after failures, or that of a follower
    /// after a hint. Called when a connect request has come, or the first record of the peer or of a new boot, and when
    /// this node has got the secret without which the peer refused it. Does so at most once in
    /// `MeshLimits.cooldownCutInterval`.
    mutating func connectAtOnce(_ index: Int, now: Instant) {
        reachability[index].want(now: now)
        switch links[index].state {
        case .down(let dialAt): guard now < dialAt else { return }
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: return
        }
        guard reachability[index].cutCooldown(&effects, now: now) else { return }
        setState(index, .scheduled(dialAt: now))
        beginAttempt(index, now: now)
    }
}

/// Attempts to link with a peer: how they begin, fail and are given up.
extension MeshNode {
    /// Starts an attempt, because no wait is left before it. This node dials the known addresses of the peer. If there
    /// is none that it may dial, it asks a neighbour for a tunnel. It gives up if the peer is blocked, or if it neither
    /// wants nor expects a link with the peer (`isWanted`, `isExpected`).
    mutating func beginAttempt(_ index: Int, now: Instant) {
        guard reachability[index].isWanted(now: now) || membership.isExpected(links[index].node, now: now),
            !isBlocked(links[index].node)
        else {
            reachability[index].endConnectRequests()
            clearAttempt(index)
            setState(index, .ended(dialAt: .distantFuture))
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

    /// Whether the peer is not expected back: it is dead, or it has left and no later boot is known.
    func isGone(_ index: Int, now: Instant) -> Bool {
        switch detector[index].presence {
        case .dead: true
        case .left: !membership.isExpected(links[index].node, now: now)
        case .unmet, .present, .suspected: false
        }
    }

    /// Ends a failed attempt. The wait for the next attempt grows with each failure. If a person at the peer has yet to
    /// decide, and the carrier for the answer is still open, no failure is counted: the wait for the decision goes on.
    mutating func failAttempt(_ index: Int, _ failure: LinkFailure, now: Instant) {
        if let carrier = undecidedCarrier(of: index) {
            return awaitDecision(until: now + MeshLimits.decisionRetry, on: carrier, now: now)
        }
        effects.count(.attemptsFailed)
        links[index].recordFailure(failure)
        clearAttempt(index)
        setState(index, .failed(dialAt: countFailure(index, now: now)))
        switch detector[index].presence {
        // After LEAVE, a recent record of the peer that is no leaving record is mostly that of its next boot.
        case .unmet, .left:
            if membership.isExpected(links[index].node, now: now) { suspect(index, .indirect, now: now) }
        case .present, .suspected, .dead: break
        }
        if !links[index].isLeader { reachability[index].beginConnectRequests(now: now) }
    }

    /// Counts a failure of the peer and returns when the next attempt starts. If this node has no network and the peer
    /// is on another host, the failure is not counted. If the peer is dead, or has left and no later boot is known, no
    /// attempt is planned: a hint leads to the next one, or the random retry of dead peers.
    mutating func countFailure(_ index: Int, now: Instant) -> Instant {
        guard mayReach(index) else { return now + MeshLimits.offlineRetry }
        if isGone(index, now: now) {
            reachability[index].countFailureOfGone(&effects, now: now)
            return .distantFuture
        }
        let isLinked = links[index].state.isLinked
        return reachability[index].countFailure(isLinked: isLinked, &effects, now: now)
    }

    /// Drops the candidate, cancels the dials and closes every carrier except the session's.
    mutating func clearAttempt(_ index: Int) {
        dropCandidate(index)
        cancelDialsAndCarriers(of: index, keeping: { _ in false })
    }

    /// Cancels the dials of the peer and closes its carriers, except the session's carrier and those for which `isKept`
    /// returns true.
    mutating func cancelDialsAndCarriers(of index: Int, keeping isKept: (CarrierEntry) -> Bool) {
        reachability.cancelDials(of: index, &effects)
        links.closeAttemptCarriers(of: index, keeping: isKept, &effects)
    }
}

/// Dead retry: from time to time this node dials one dead peer, drawn at random (`DeadRetrySchedule`).
extension MeshNode {
    mutating func retryDead(now: Instant) {
        // The schedule goes on for dead peers that leave by an epoch that is not in use yet: the epoch may be dropped,
        // and then these peers are still members. Until then this node dials none of them.
        let dead = links.indices.filter {
            detector[$0].presence.isDead && (!isBlocked(links[$0].node) || links.epochs.hasLeft(links[$0].node))
        }
        guard !dead.isEmpty else {
            reachability.endDeadRetries()
            return
        }
        let isRecent = dead.contains { membership.roster[links[$0].node]?.isCurrent(now: now) == true }
        reachability.scheduleDeadRetry(
            isRecent: isRecent, linkedCount: links.linkedCount, &effects, now: now)
        let waiting = dead.filter {
            links[$0].state == .down(dialAt: .distantFuture) && !isBlocked(links[$0].node)
        }
        guard let pick = reachability.drawDead(among: waiting, &effects, now: now) else { return }
        setState(pick, .scheduled(dialAt: now))
        beginAttempt(pick, now: now)
    }
}
