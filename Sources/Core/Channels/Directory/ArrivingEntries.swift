import Primitives

/// Entries of neighbours that wait for the check of their signatures. A few are checked at a time, so that voice does
/// not wait for all of a frame.
struct ArrivingEntries {
    struct Arrival {
        var bytes: [UInt8]
        var sender: PeerSlot
        /// Whether this node had asked for the entry. An entry that it had not asked for is passed on.
        var isAnswer: Bool
    }

    private var queue = BoundedQueue<Arrival>(capacity: TableLimits.arrivalsMax)
    private var nextAt = Instant.zero

    var isEmpty: Bool { queue.isEmpty }
    /// When the next entries may be checked.
    var dueAt: Instant { queue.isEmpty ? .distantFuture : nextAt }

    /// Appends an entry; returns false if there is no room.
    mutating func append(_ arrival: Arrival) -> Bool { queue.appendOrRefuse(arrival) }

    /// Returns the entries of one turn, if a turn is due.
    mutating func takeTurn(now: Instant) -> [Arrival] {
        guard dueAt <= now else { return [] }
        nextAt = now + TableLimits.checkInterval
        var turn: [Arrival] = []
        while turn.count < TableLimits.checksAtOnce, let next = queue.popFirst() { turn.append(next) }
        return turn
    }
}
