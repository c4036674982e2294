import Primitives

/// Dead retry: from time to time this node dials one dead peer, drawn at random (`DeadRetrySchedule`).
extension MeshNode {
    mutating func retryDead(now: Instant) {
        let dead = links.indices.filter { detector[$0].presence.isDead && !isBlocked(links[$0].node) }
        guard !dead.isEmpty else {
            reachability.endDeadRetries()
            return
        }
        let isRecent = dead.contains { membership.roster[links[$0].node]?.isCurrent(now: now) == true }
        reachability.scheduleDeadRetry(
            isRecent: isRecent, linkedCount: links.linkedCount, &effects, now: now)
        let waiting = dead.filter { links[$0].state == .down(dialAt: .distantFuture) }
        guard let pick = reachability.drawDead(among: waiting, &effects, now: now) else { return }
        setState(pick, .scheduled(dialAt: now))
        beginAttempt(pick, now: now)
    }
}
