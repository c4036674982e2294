import Primitives
import Wire

/// Dead retry: from time to time this node dials one dead peer, drawn at random. So some node soon finds that a
/// partition has healed, and gossip reports it to all.
///
/// The wait grows with the number of linked neighbours, because they dial too: the rate of these dials in the whole
/// mesh does not depend on the size of the mesh.
extension MeshNode {
    mutating func retryDead(now: Instant) {
        let dead = links.indices.filter { detector[$0].presence.isDead && !isBlocked(links[$0].node) }
        guard !dead.isEmpty else {
            reachability.deadRetryAt = .distantFuture
            return
        }
        let isRecent = dead.contains { membership.roster[links[$0].node]?.isCurrent(now: now) == true }
        scheduleDeadRetry(isRecent: isRecent, now: now)
        let waiting = dead.filter { awaitsRandomRetry($0, now: now) }
        guard !waiting.isEmpty else { return }
        let pick = waiting[Int(effects.random.below(UInt64(waiting.count)))]
        reachability[pick].drawnAt = now
        reachability[pick].isHinted = false
        effects.count(.deadRetried)
        reachability[pick].wantedUntil = max(reachability[pick].wantedUntil, now + MeshLimits.helloWaitMax)
        setState(pick, .scheduled(dialAt: now))
        beginAttempt(pick, now: now)
    }

    private func awaitsRandomRetry(_ index: Int, now: Instant) -> Bool {
        guard links[index].state == .down(dialAt: .distantFuture) else { return false }
        return reachability[index].drawnAt.map { $0 + MeshLimits.deadRetryPeerInterval <= now } ?? true
    }

    mutating func scheduleDeadRetry(isRecent: Bool, now: Instant) {
        let linked = Int64(links.all.count { $0.state.isLinked })
        let full = (isRecent ? MeshLimits.deadRetryInterval : MeshLimits.deadRetryIntervalLate) * (linked + 1)
        reachability.deadRetryAt = now + effects.random.interval(in: full / 2...full)
    }
}
