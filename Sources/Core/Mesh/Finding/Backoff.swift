package import Primitives

/// How long to leave one peer alone after failures: U[d/2, d], d = min(0.5 · 2^(f−1), 30) s.
///
/// Counted per NodeID whatever the instance, so that a peer that crashes in a loop is no storm. The
/// random half spreads the retries of many after one common fault, and the trials of quarantine: the
/// first of many ends a long partition, and connect requests bring the others.
package struct Backoff: Sendable {
    package private(set) var failures = 0
    private var cutAt: Instant?

    package init() {}

    /// Counts a failure and says what follows.
    package mutating func fail(now: Instant, random: inout SeededRandom) -> LinkRetry {
        failures += 1
        if MeshLimits.failuresBeforeQuarantine <= failures {
            return .quarantine(until: now + random.interval(in: MeshLimits.quarantine / 2...MeshLimits.quarantine))
        }
        return .backoff(until: now + Backoff.wait(afterFailures: failures, max: MeshLimits.backoffMax, random: &random))
    }

    /// The link stood long enough.
    package mutating func clear() { failures = 0 }

    /// Whether a connect request or a new instance may end the present wait; at most once in 2 s.
    package mutating func cut(now: Instant) -> Bool {
        if let cutAt, now < cutAt + MeshLimits.cooldownCutInterval { return false }
        cutAt = now
        return true
    }

    /// When the next cut is allowed.
    package func nextCut(now: Instant) -> Instant {
        guard let cutAt else { return now }
        return max(now, cutAt + MeshLimits.cooldownCutInterval)
    }

    package static func wait(afterFailures failures: Int, max: Interval, random: inout SeededRandom) -> Interval {
        // 2^6 · 0.5 s is past the cap already; the shift stays small however long a peer fails.
        let doublings = min(failures - 1, 6)
        let full = min(MeshLimits.backoffFirst * (1 << Int64(doublings)), max)
        return random.interval(in: full / 2...full)
    }
}
