package import Primitives

/// How far this node trusts its own verdicts on silent peers (Lifeguard, "local health multiplier", arXiv 1707.00788
/// §4.1). A score of 0 is healthy. Each sign that this node itself is at fault adds one.
///
/// A suspected peer is declared dead after `factor` times the usual wait. A link in verification goes down after at
/// most `MeshLimits.verificationFactorMax` times the usual wait, because it can come back soon.
package struct LocalHealth: Hashable, Sendable {
    package private(set) var score = 0
    private var changedAt: Instant?

    package init() {}

    /// Adds one sign: this node was paused, was late, or suspected a peer that lives.
    package mutating func worsen(now: Instant) {
        score = min(score + 1, MeshLimits.healthScoreMax)
        changedAt = now
    }

    /// Takes one sign back, because an echo came in time; at most one a second.
    /// - Returns: whether the score changed.
    @discardableResult
    package mutating func improve(now: Instant) -> Bool {
        guard 0 < score else { return false }
        if let changedAt, now < changedAt + MeshLimits.healthRecoveryInterval { return false }
        score -= 1
        changedAt = now
        return true
    }

    /// The factor by which waits are longer, 1 to 9.
    package var factor: Int64 { Int64(score + 1) }
}
