import Primitives
import Wire

/// Looking for the dead: now and then one of them, drawn at random, is dialled, so that a healed
/// partition is found by whoever comes first and told to all by gossip.
///
/// Each node waits longer the more neighbours it has, for they look too: what the whole mesh spends
/// on its dead stays the same however large it is.
extension MeshNode {
    mutating func retryDead(now: Instant) {
        let dead = peers.indices.filter { peers[$0].presence.isDead && !isBlocked(peers[$0].node) }
        guard !dead.isEmpty else {
            deadRetryAt = .distantFuture
            return
        }
        let isRecent = dead.contains { roster[peers[$0].node]?.isSeenRecently(now: now) == true }
        scheduleDeadRetry(isRecent: isRecent, now: now)
        let waiting = dead.filter { awaitsRandomRetry($0, now: now) }
        guard !waiting.isEmpty else { return }
        let pick = waiting[Int(random.below(UInt64(waiting.count)))]
        peers[pick].drawnAt = now
        peers[pick].isHinted = false
        counters.count(.deadRetried)
        peers[pick].wantedUntil = max(peers[pick].wantedUntil, now + MeshLimits.helloWaitMax)
        setState(pick, .scheduled(dialAt: now))
        beginAttempt(pick, now: now)
    }

    private func awaitsRandomRetry(_ index: Int, now: Instant) -> Bool {
        guard peers[index].state == .down(dialAt: .distantFuture) else { return false }
        return peers[index].drawnAt.map { $0 + MeshLimits.deadRetryPeerInterval <= now } ?? true
    }

    mutating func scheduleDeadRetry(isRecent: Bool, now: Instant) {
        let linked = Int64(peers.peers.count { $0.state.isLinked })
        let full = (isRecent ? MeshLimits.deadRetryInterval : MeshLimits.deadRetryIntervalLate) * (linked + 1)
        deadRetryAt = now + random.interval(in: full / 2...full)
    }
}
