package import Primitives

/// One kind of state that a peer advertises (link states or channels), as this node has received it.
///
///     came on the session's carrier ── within the allowance ──► value (in use)
///                     └───── above it ───► dropped: the peer sends it again
///     came with the candidate ───────────► early ── first echo ──► value
///
package struct HeldView<Value: Equatable, Generation: FixedWidthInteger & UnsignedInteger> {
    /// The view in use; nil before the first one.
    package private(set) var value: Value?
    /// The generation of the newest view of this session; 0 before the first one. This node's control blocks name it to
    /// the peer.
    package private(set) var generation: Generation = 0
    /// The newest view that came with the candidate session.
    private var early: (value: Value, generation: Generation)?
    /// The allowance for changed views of the peer.
    private var allowance: TokenBucket

    package init(allowance: TokenBucket) { self.allowance = allowance }

    /// The generation of the newest view of the candidate session; 0 before the first one.
    package var earlyGeneration: Generation { early?.generation ?? 0 }

    package enum Arrival: Sendable {
        /// A view other than before is in use now.
        case changed
        /// This node has the view already, or will use it when the candidate session comes into use.
        case unchanged
        /// The view is dropped.
        case overRate
    }

    /// - Parameter isEarly: whether the view came with the candidate session.
    package mutating func receive(
        _ value: Value, generation: Generation, isEarly: Bool, now: Instant
    ) -> Arrival {
        if isEarly {
            early = (value, generation)
            return .unchanged
        }
        guard generation != self.generation else { return .unchanged }
        guard value == self.value || allowance.take(now: now) else { return .overRate }
        defer { (self.value, self.generation) = (value, generation) }
        return value == self.value ? .unchanged : .changed
    }

    /// Uses the view that came with the candidate session, because that session is in use from now on.
    /// - Parameter isSameBoot: whether the session before was with the same boot of the peer. If so, the view of that
    ///   session stays in use until the first view of the new session comes.
    package mutating func beginSession(isSameBoot: Bool) {
        value = early?.value ?? (isSameBoot ? value : nil)
        generation = earlyGeneration
        early = nil
    }

    package mutating func dropCandidate() { early = nil }

    package mutating func endSession() { (value, generation) = (nil, 0) }
}
