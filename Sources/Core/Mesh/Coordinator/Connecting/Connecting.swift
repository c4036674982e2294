import Primitives
import Wire

/// From a hint that a peer is there to an attempt.
extension MeshNode {
    mutating func learn(_ hint: PeerHint, now: Instant) {
        guard let peer = hint.node else {
            if reachability.staticPeers.add(hint.endpoints, now: now) { startDials(now: now) }
            return
        }
        guard peer != node, !isBlocked(peer), let index = peerIndex(of: peer) else { return }
        reachability[index].addAddresses(hint)
        startConnecting(index, now: now)
    }

    /// Handles a hint that a peer is there: the leader dials at once, the follower after `MeshLimits.followerDialWait`.
    /// After failures a hint does not end the wait for the next attempt; `connectAtOnce` does.
    mutating func startConnecting(_ index: Int, now: Instant) {
        let isGone = isGone(index, now: now)
        if isGone { reachability[index].wantOnce(now: now) } else { reachability[index].want(now: now) }
        guard links[index].state == .down(dialAt: .distantFuture) else { return }
        let at = reachability[index].useHint(
            isLeader: links[index].isLeader, isGone: isGone, &effects, now: now)
        setState(index, .scheduled(dialAt: at))
        if at == now { beginAttempt(index, now: now) }
    }

    /// Ends the peer's wait and starts an attempt, after a proof that the peer lives now: a connect request or a new
    /// boot. Does so at most once in `MeshLimits.cooldownCutInterval`.
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
