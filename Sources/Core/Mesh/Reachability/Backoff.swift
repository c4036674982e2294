package import Primitives

/// The wait before the next dial of one peer after f failures: U[d/2, d], d = min(0.5 · 2^(f−1), 30) s.
///
/// Failures are counted for each NodeID, over all its instances. So a peer that crashes in a loop causes no storm of
/// dials. The random half spreads the retries of many nodes after a fault that they share. After a long partition, the
/// first node that gets through brings the others with it, because it delivers their connect requests.
package struct Backoff: Sendable {
    package private(set) var failures = 0
    private var cutAt: Instant?

    package init() {}

    /// Whether people are told that the peer is left alone for a while. Nothing else depends on it.
    package var isQuarantine: Bool { MeshLimits.failuresBeforeQuarantine <= failures }

    /// Counts a failure and returns when the wait that follows ends.
    package mutating func fail(now: Instant, random: inout SeededRandom) -> Instant {
        failures += 1
        return now + Backoff.wait(afterFailures: failures, max: MeshLimits.backoffMax, random: &random)
    }

    /// Forgets the failures. Called when the link has been up for `MeshLimits.stableAfter`.
    package mutating func clear() { failures = 0 }

    /// Returns whether a connect request, a new instance or an incoming carrier may end the present wait now. That is
    /// so at most once in `MeshLimits.cooldownCutInterval`.
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
        let doublings = min(failures - 1, MeshLimits.backoffDoublingsMax)
        let full = min(MeshLimits.backoffFirst * (1 << Int64(doublings)), max)
        return random.interval(in: full / 2...full)
    }
}
