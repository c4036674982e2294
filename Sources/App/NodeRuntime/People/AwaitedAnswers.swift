package import Primitives

/// Requests that wait for something from a peer. Each is answered once: together with all that wait for the peer when
/// the answer comes, or alone when its own time is over.
package struct AwaitedAnswers<Answer> {
    /// One request that waits.
    package struct Request: Hashable, Sendable {
        fileprivate let peer: NodeID
        fileprivate let number: UInt64
    }

    private var waiting: [NodeID: [(number: UInt64, body: (Answer?) -> Void)]] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// Calls `body` once: with the answer of the peer, or with nil if it has not come in time.
    package mutating func add(_ peer: NodeID, _ body: @escaping (Answer?) -> Void) -> Request {
        lastNumber += 1
        waiting[peer, default: []].append((lastNumber, body))
        return Request(peer: peer, number: lastNumber)
    }

    /// Gives all that wait for a peer its answer.
    package mutating func answer(_ peer: NodeID, _ answer: Answer?) {
        for entry in waiting.removeValue(forKey: peer) ?? [] { entry.body(answer) }
    }

    /// The time of a request is over; nothing happens if it was answered.
    package mutating func end(_ request: Request) {
        guard let index = waiting[request.peer]?.firstIndex(where: { $0.number == request.number }) else { return }
        let entry = waiting[request.peer]?.remove(at: index)
        if waiting[request.peer]?.isEmpty == true { waiting[request.peer] = nil }
        entry?.body(nil)
    }

    /// The time of all requests is over. Call it when the node leaves.
    package mutating func endAll() {
        for peer in Array(waiting.keys) { answer(peer, nil) }
    }
}
