package import Primitives

/// A peer whose link comes and goes is kept linked and heard, but people are no longer told of each
/// turn (after RFC 2439 §4.2: a penalty that halves with time, one limit to suppress, one to reuse).
package struct FlapDamping: Hashable, Sendable {
    private var penalty: Int64 = 0
    private var updatedAt = Instant.zero
    package private(set) var isDamped = false

    package init() {}

    /// The link went down.
    package mutating func flap(now: Instant) {
        penalty = min(current(now: now) + MeshLimits.flapPenalty, MeshLimits.flapPenaltyMax)
        updatedAt = now
        if MeshLimits.flapSuppressAbove < penalty { isDamped = true }
    }

    /// Whether the calm has lasted long enough; true once.
    package mutating func settle(now: Instant) -> Bool {
        guard isDamped, current(now: now) <= MeshLimits.flapReuseBelow else { return false }
        isDamped = false
        return true
    }

    /// When `settle` will succeed without another flap.
    package var calmAt: Instant {
        guard isDamped else { return .distantFuture }
        var at = updatedAt
        while MeshLimits.flapReuseBelow < current(now: at) { at += MeshLimits.flapHalfLife / 8 }
        return at
    }

    /// The penalty now: halved every half-life, and in a straight line between the halvings.
    package func current(now: Instant) -> Int64 {
        let half = MeshLimits.flapHalfLife
        let halvings = (now - updatedAt).nanoseconds / half.nanoseconds
        guard halvings < 32 else { return 0 }
        let rest = (now - updatedAt).nanoseconds % half.nanoseconds
        let atHalving = penalty >> halvings
        return atHalving - atHalving * (rest / 1_000) / (half.nanoseconds / 1_000) / 2
    }
}
