package import Primitives

/// The wait before the next dial of one peer after f failures: U[d/2, d], d = min(0.5 · 2^(f−1), 30) s. From
/// `MeshLimits.failuresBeforeQuarantine` failures on, the wait is a quarantine: d = 30 s.
///
/// Failures are counted for each NodeID, over all its instances, so that a peer that crashes in a loop causes no
/// storm of dials. The random half spreads the retries of many nodes after one common fault, and the trials of
/// quarantine. After a long partition, the first trial that succeeds brings the other nodes by connect requests.
package struct Backoff: Sendable {
    package private(set) var failures = 0
    private var cutAt: Instant?

    package init() {}

    /// Counts a failure and returns the wait that follows.
    package mutating func fail(now: Instant, random: inout SeededRandom) -> LinkRetry {
        failures += 1
        if MeshLimits.failuresBeforeQuarantine <= failures {
            return .quarantine(until: now + random.interval(in: MeshLimits.quarantine / 2...MeshLimits.quarantine))
        }
        return .backoff(until: now + Backoff.wait(afterFailures: failures, max: MeshLimits.backoffMax, random: &random))
    }

    /// Forgets the failures. Called when the link has been up for `MeshLimits.stableAfter`.
    package mutating func clear() { failures = 0 }

    /// Returns whether a connect request, a new instance or an incoming carrier may end the present wait. True at
    /// most once in `MeshLimits.cooldownCutInterval`.
    package mutating func cut(now: Instant) -> Bool {
        if let cutAt, now < cutAt + MeshLimits.cooldownCutInterval { return false }
        cutAt = now
        return true
    }

    /// Returns the instant from which `cut` is true again: `now` or later.
    package func nextCut(now: Instant) -> Instant {
        guard let cutAt else { return now }
        return max(now, cutAt + MeshLimits.cooldownCutInterval)
    }

    package static func wait(afterFailures failures: Int, max: Interval, random: inout SeededRandom) -> Interval {
        // 2^6 · 0.5 s = 32 s exceeds the longest `max`, 30 s. The bound keeps the shift small.
        let doublings = min(failures - 1, 6)
        let full = min(MeshLimits.backoffFirst * (1 << Int64(doublings)), max)
        return random.interval(in: full / 2...full)
    }
}
