package import Primitives

/// How far this node trusts its own sense of who is silent (Lifeguard, "local health multiplier",
/// arXiv 1707.00788 §4.1): 0 is healthy, each sign that the fault is here adds one.
///
/// Only the slow verdict waits longer for it; the fast one is reversible, and frozen after a pause.
package struct LocalHealth: Hashable, Sendable {
    package private(set) var score = 0
    private var changedAt: Instant?

    package init() {}

    /// This node stood still, or suspected somebody who lives.
    package mutating func worsen(now: Instant) {
        score = min(score + 1, MeshLimits.healthScoreMax)
        changedAt = now
    }

    /// An echo came in time; makes up for one sign a second at most.
    /// - Returns: whether the score changed.
    @discardableResult
    package mutating func improve(now: Instant) -> Bool {
        guard 0 < score else { return false }
        if let changedAt, now < changedAt + MeshLimits.healthRecoveryInterval { return false }
        score -= 1
        changedAt = now
        return true
    }

    /// By how much a suspicion waits longer.
    package var factor: Int64 { Int64(score + 1) }

    package var isSaturated: Bool { score == MeshLimits.healthScoreMax }
}
