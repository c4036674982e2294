package import Primitives

/// What a node may dial, counted beside it from what it does, in its own time: a burst of 64, and one more
/// every 500 ms.
///
/// Who waits for the next one dials at a round time after whatever happened last, and not for want of jitter.
package struct DialBudget {
    private static let burst: Int64 = 64
    private static let every = Interval.milliseconds(500)

    /// When all that was spent will have been earned back, and when nothing was missing last.
    private var owedUntil: Instant
    private var wholeAt: Instant

    package init(now: Instant) { (owedUntil, wholeAt) = (now, now) }

    package enum Dial: Hashable, Sendable {
        case spare
        /// None was left until this very instant.
        case earnedNow
        case overspent
    }

    /// Spends one; arithmetic of its own, since the node's is what is watched.
    package mutating func spend(now: Instant) -> Dial {
        if owedUntil <= now { (owedUntil, wholeAt) = (now, now) }
        let left = Self.every * (Self.burst - 1) - (owedUntil - now)
        guard .zero <= left else { return .overspent }
        owedUntil += Self.every
        return left == .zero && wholeAt < now ? .earnedNow : .spare
    }
}
