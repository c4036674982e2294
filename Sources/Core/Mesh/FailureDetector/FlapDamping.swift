package import Primitives

/// Damping of a peer whose link comes and goes. The link is used as before, but the shell no longer reports each change
/// of it, and this node advertises a change only after a while (after RFC 2439 §4.2: a penalty that halves with time,
/// one limit to suppress, one to reuse).
package struct FlapDamping: Hashable, Sendable {
    private var penalty: Int64 = 0
    private var updatedAt = Instant.zero
    package private(set) var isDamped = false

    package init() {}

    /// Adds the penalty for one loss of the link.
    package mutating func flap(now: Instant) {
        penalty = min(current(now: now) + MeshLimits.flapPenalty, MeshLimits.flapPenaltyMax)
        updatedAt = now
        if MeshLimits.flapSuppressAbove < penalty { isDamped = true }
    }

    /// Ends the damping if the penalty has fallen far enough; returns true if it has just ended.
    package mutating func settle(now: Instant) -> Bool {
        guard isDamped, current(now: now) <= MeshLimits.flapReuseBelow else { return false }
        isDamped = false
        return true
    }

    /// The instant at which `settle` will end the damping if the link is not lost again; `.distantFuture` if the peer
    /// is not damped.
    package var calmAt: Instant {
        guard isDamped else { return .distantFuture }
        var at = updatedAt
        while MeshLimits.flapReuseBelow < current(now: at) { at += MeshLimits.flapHalfLife / 8 }
        return at
    }

    /// Returns the penalty now: it halves every half-life, and falls linearly between the halvings.
    package func current(now: Instant) -> Int64 {
        let half = MeshLimits.flapHalfLife
        let halvings = (now - updatedAt).nanoseconds / half.nanoseconds
        guard halvings < 32 else { return 0 }
        let rest = (now - updatedAt).nanoseconds % half.nanoseconds
        let atHalving = penalty >> halvings
        return atHalving - atHalving * (rest / 1_000) / (half.nanoseconds / 1_000) / 2
    }
}
