package import Primitives

/// One attempt's addresses, best first, tried `MeshLimits.dialStagger` apart (RFC 8305).
package struct DialPlan: Hashable, Sendable {
    /// Still to be dialled.
    package var waiting: [Endpoint] = []
    package var underWay: [DialID] = []
    package var nextAt: Instant = .distantFuture
    /// Addresses dialled in this attempt.
    private var dialledCount = 0
    /// When a tunnel joins the dials, unless a carrier has opened or all have failed before.
    package var tunnelAt: Instant = .distantFuture
    /// Neighbours asked for a tunnel in this attempt.
    package var tunnelsAsked = 0

    package init() {}

    package var isOver: Bool { waiting.isEmpty && underWay.isEmpty }

    package mutating func start(_ endpoints: [Endpoint], now: Instant) {
        waiting = endpoints
        dialledCount = 0
        tunnelsAsked = 0
        nextAt = endpoints.isEmpty ? .distantFuture : now
    }

    /// Where not all may dial at once: everybody's first address before anybody's second, then whoever has waited
    /// longer. Who is said to be at many addresses delays others by one.
    package func precedes(_ other: DialPlan) -> Bool { (dialledCount, nextAt) < (other.dialledCount, other.nextAt) }

    /// Takes the next address; the one after it comes `dialStagger` later.
    package mutating func takeNext(now: Instant) -> Endpoint? {
        guard !waiting.isEmpty else { return nil }
        let endpoint = waiting.removeFirst()
        dialledCount += 1
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
        underWay.removeAll { $0 == dial }
        if !waiting.isEmpty { nextAt = min(nextAt, now) }
    }
}
