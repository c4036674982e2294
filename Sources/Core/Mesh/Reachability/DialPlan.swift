package import Primitives

/// The addresses that one attempt dials, best first, `MeshLimits.dialStagger` apart (RFC 8305).
package struct DialPlan: Hashable, Sendable {
    /// Addresses that are not dialled yet.
    package private(set) var waiting: [Endpoint] = []
    package var inProgress: [DialID] = []
    package private(set) var nextAt: Instant = .distantFuture
    /// Whether the first address has been dialled.
    package private(set) var hasBegun = false
    /// When a tunnel is dialled beside the addresses. It is dialled earlier if all of them fail, and not at all if a
    /// carrier opens before.
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

    /// Returns the next address and schedules the one after it, `dialStagger` later. Returns nil if none is left.
    package mutating func takeNext(now: Instant) -> Endpoint? {
        guard !waiting.isEmpty else { return nil }
        let endpoint = waiting.removeFirst()
        hasBegun = true
        nextAt = waiting.isEmpty ? .distantFuture : now + MeshLimits.dialStagger
        return endpoint
    }

    /// Notes that a tunnel is being dialled.
    package mutating func beganTunnel(_ dial: DialID) {
        inProgress.append(dial)
        tunnelsAsked += 1
        tunnelAt = .distantFuture
    }

    /// Drops the waiting addresses, because the peer has opened a carrier. Dials in progress may still open.
    package mutating func stopWaiting() {
        waiting = []
        nextAt = .distantFuture
        tunnelAt = .distantFuture
    }

    /// Removes a failed dial. The next address is then due at once.
    package mutating func ended(_ dial: DialID, now: Instant) {
        inProgress.removeAll { $0 == dial }
        if !waiting.isEmpty { nextAt = min(nextAt, now) }
    }
}
