import Primitives

/// Whether a link is up. After 1.0 s of silence this node begins to verify a link: it sends probes over every path.
/// After 0.5 s without an echo the link is down. Both times may be longer (`PathSet.silentAt`, `verificationEnd`). A
/// later echo brings the link up again.
extension MeshNode {
    mutating func startVerifying(_ index: Int, now: Instant) {
        setState(index, .doubted(now: now))
        effects.report(.peerVerifying(links[index].slot, links[index].node))
        requestRelays(for: index, now: now)
        // Challenges the peer's addresses: a direct path that a relay has replaced may work again, or both nodes may
        // have new addresses.
        challengeAddresses(index, now: now)
        sendVerificationProbe(index, now: now)
    }

    /// Sends the probe that is due; takes the link down if the time of the verification is over.
    mutating func verify(_ index: Int, now: Instant) {
        guard case .verifying(let verification) = links[index].state else { return }
        if verificationEnd(verification) <= now {
            loseLink(index, now: now)
        } else {
            sendVerificationProbe(index, now: now)
        }
    }

    private mutating func sendVerificationProbe(_ index: Int, now: Instant) {
        guard case .verifying(let verification) = links[index].state, verification.nextProbeAt <= now else { return }
        links[index].probeSent(random: &effects.random, now: now)
        probeEverywhere(index, now: now)
    }
}

/// Whether a peer is present or dead. This verdict follows from this node's link to the peer, from the link states of
/// the neighbours, and from time. It comes later than the verdict that a link is down (`loseLink`).
extension MeshNode {
    /// Makes a peer present because its link is up. A suspicion of it ends; one for its silence counts as wrong.
    mutating func becomePresent(_ index: Int, now: Instant) {
        guard detector.becomePresent(index, &effects, now: now) else { return }
        links[index].forgetDuplicate()
        reachability[index].forgetHint()
        membership.setDead(false, links[index].node)
    }

    /// Updates a peer's presence after its link went down or its session ended.
    mutating func judgePresence(_ index: Int, after reason: DownReason, wasLinked: Bool, now: Instant) {
        let cause = detector[index].judge(after: reason, wasLinked: wasLinked, now: now)
        // A block, for example, makes a dead peer unmet.
        membership.setDead(detector[index].presence.isDead, links[index].node)
        if let cause { suspect(index, cause, now: now) }
    }

    /// Begins a suspicion of the peer: its link went down although neither side ended it, it has restarted, it could
    /// not be reached, or a newer record casts doubt on its death.
    mutating func suspect(_ index: Int, _ cause: Suspicion.Cause, now: Instant) {
        detector[index].suspect(cause, &effects, now: now)
        reviewSuspicions()
    }

    /// Counts again, for each suspected peer, the neighbours that have no link to it. Called when link states arrive,
    /// when a link comes up, goes down, or becomes stale or fresh, and when a suspicion begins.
    mutating func reviewSuspicions() {
        // Mostly no peer is suspected, so the witnesses (neighbours with link states) are collected only if one is.
        guard detector.hasSuspects else { return }
        detector.reviewSuspicions(witnesses, &effects, now: handledAt)
    }

    private var witnesses: [Witness] {
        var witnesses: [Witness] = []
        for index in links.indices where links[index].state.isLinked && membership[index].hasLinkStates {
            // Link states from before a long absence of this node are old.
            if links[index].isStale { continue }
            witnesses.append(Witness(node: links[index].node, links: membership[index].links.entries))
        }
        return witnesses
    }

    /// Declares a suspected peer dead, because it was suspected for long enough: ends its session and its attempt. From
    /// then on, random retries and hints lead to dials.
    mutating func declareDead(_ index: Int, now: Instant) {
        // A node without a network cannot judge other hosts: the time of the suspicion begins again.
        guard mayReach(index) else { return detector[index].restartSuspicion(&effects, now: now) }
        let instance = membership.roster[links[index].node]?.instanceSeen
        let isIndirect = detector[index].declareDead(&effects, now: now) == .indirect
        // If the suspicion was `indirect` (this node could not reach the peer), the wait before the next attempt, which
        // the status shows, goes on: neither a random retry nor a hint of a neighbour ends it. At its end this node
        // dials the peer only if it wants a link with the peer again.
        let isWaiting = isIndirect && links[index].state.retryAt != nil
        reachability[index].giveUp()
        clearAttempt(index)
        endSession(index, .silent, dialAt: isWaiting ? nil : .distantFuture, now: now)
        // An `indirect` suspicion does not begin with a lost link, and people were not told of it. So the death after
        // it is not reported to the shell.
        if let instance, !isIndirect { effects.report(.peerDead(links[index].node, instance)) }
        reachability.advanceDeadRetry(
            linkedCount: links.linkedCount, &effects, now: now)
        effects.invalidateDeadlines()
    }
}
