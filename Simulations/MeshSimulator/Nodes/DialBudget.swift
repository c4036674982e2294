package import Primitives

/// The number of dials that a node may start: a burst of 64, and one more every 500 ms of the node's own clock. The
/// simulator counts it from the dials that the node starts.
///
/// A node whose budget is empty starts its next dial as soon as it has earned one, so a whole multiple of 500 ms after
/// an earlier dial. Such a dial does not show that the node lacks jitter.
package struct DialBudget {
    private static let burst: Int64 = 64
    private static let every = Interval.milliseconds(500)

    /// `owedUntil`: when all spent dials will be earned back. `wholeAt`: when the budget was last full.
    private var owedUntil: Instant
    private var wholeAt: Instant

    package init(now: Instant) { (owedUntil, wholeAt) = (now, now) }

    package enum Dial: Hashable, Sendable {
        case spare
        /// The budget was empty until this very instant.
        case earnedNow
        case overspent
    }

    /// Spends one dial. The arithmetic is not the node's own, because the node is under test.
    package mutating func spend(now: Instant) -> Dial {
        if owedUntil <= now { (owedUntil, wholeAt) = (now, now) }
        let left = Self.every * (Self.burst - 1) - (owedUntil - now)
        guard .zero <= left else { return .overspent }
        owedUntil += Self.every
        return left == .zero && wholeAt < now ? .earnedNow : .spare
    }
}
