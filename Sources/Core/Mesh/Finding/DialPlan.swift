package import Primitives

/// One attempt's addresses, best first, tried `MeshLimits.dialStagger` apart (RFC 8305).
package struct DialPlan: Hashable, Sendable {
    /// Still to be dialled.
    package var waiting: [Endpoint] = []
    package var inProgress: [DialID] = []
    package var nextAt: Instant = .distantFuture
    /// Whether the first address has been dialled.
    package private(set) var hasBegun = false
    /// When a tunnel joins the dials, unless a carrier has opened or all have failed before.
    package var tunnelAt: Instant = .distantFuture
    /// Neighbours asked for a tunnel in this attempt.
    package var tunnelsAsked = 0

    package init() {}

    package var isOver: Bool { waiting.isEmpty && inProgress.isEmpty }

    package mutating func start(_ endpoints: [Endpoint], now: Instant) {
        waiting = endpoints
        hasBegun = false
        tunnelsAsked = 0
        nextAt = endpoints.isEmpty ? .distantFuture : now
    }

    /// Takes the next address; the one after it comes `dialStagger` later.
    package mutating func takeNext(now: Instant) -> Endpoint? {
        guard !waiting.isEmpty else { return nil }
        let endpoint = waiting.removeFirst()
        hasBegun = true
        nextAt = waiting.isEmpty ? .distantFuture : now + MeshLimits.dialStagger
        return endpoint
    }

    /// Somebody has come: no further address is dialled, what is under way may still open.
    package mutating func stopWaiting() {
        waiting = []
        nextAt = .distantFuture
        tunnelAt = .distantFuture
    }

    /// A dial failed: the next address need not wait.
    package mutating func ended(_ dial: DialID, now: Instant) {
        inProgress.removeAll { $0 == dial }
        if !waiting.isEmpty { nextAt = min(nextAt, now) }
    }
}
