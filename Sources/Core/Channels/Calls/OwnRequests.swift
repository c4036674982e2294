import Primitives
import Wire

/// The requests of this node that wait for the answer of their subject.
struct OwnRequests: Sendable {
    private struct Waiting: Sendable {
        var id: CallID
        var subject: NodeID
        var expiresAt: Instant
    }

    private var waiting: [Waiting] = []

    /// When the first one runs out of time.
    var dueAt: Instant { waiting.first?.expiresAt ?? .distantFuture }

    /// Returns false if as many as possible wait.
    mutating func add(_ id: CallID, of subject: NodeID, now: Instant) -> Bool {
        guard waiting.count < CallLimits.requestsMax else { return false }
        waiting.append(Waiting(id: id, subject: subject, expiresAt: now + CallLimits.requestTime))
        return true
    }

    /// Ends a request by the answer of its subject. Returns false if no such request waits.
    mutating func take(_ id: CallID, from node: NodeID) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id && $0.subject == node }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Removes the requests whose time is over, and returns their subjects.
    mutating func removeExpired(now: Instant) -> [NodeID] {
        let over = waiting.prefix { $0.expiresAt <= now }.map(\.subject)
        waiting.removeFirst(over.count)
        return over
    }
}
