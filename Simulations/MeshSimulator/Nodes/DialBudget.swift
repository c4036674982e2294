package import Primitives

/// What a node may dial, counted beside it from what it does, in its own time: a burst of 64, and one more
/// every 500 ms.
///
/// Who waits for the next one dials at a round time after whatever happened last, and not for want of jitter.
package struct DialBudget {
    private var bucket: TokenBucket

    package init(now: Instant) { bucket = TokenBucket(burst: 64, interval: .milliseconds(500), now: now) }

    package enum Dial: Hashable, Sendable {
        case spare
        /// None was left until this very instant.
        case earnedNow
        case overspent
    }

    /// Spends one.
    package mutating func spend(now: Instant) -> Dial {
        let isEarnedNow = bucket.nextToken(now: now - Interval(nanoseconds: 1)) == now
        guard bucket.take(now: now) else { return .overspent }
        return isEarnedNow ? .earnedNow : .spare
    }
}
