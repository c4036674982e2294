/// The bounds of the events that a node keeps in memory for clients that ask later.
package enum EventLimits {
    package static let keptMax = 200
    /// Bytes of the texts in these events.
    package static let keptTextBytesMax = 128 * 1024
}

/// The latest events. When they are too many or too long, the oldest one of the kind that takes the most room is
/// dropped. Events of talk and answers to pings are not kept (`EventKind.isKept`).
///
/// A stranger, a member or a program can cause events of some kinds without end. They displace the older ones of the
/// same kinds; a kind that takes less room than they do loses none.
package struct LatestEvents {
    /// The oldest first.
    package private(set) var events: [EventDocument] = []
    private var textBytes = 0

    package init() {}

    /// - Parameter kind: that of the event, of which the document has the raw value.
    package mutating func add(_ event: EventDocument, of kind: EventKind) {
        guard kind.isKept else { return }
        events.append(event)
        textBytes += event.textBytes
        while EventLimits.keptMax < events.count { dropOldest { _ in 1 } }
        while EventLimits.keptTextBytesMax < textBytes { dropOldest { $0.textBytes } }
    }

    /// Drops the oldest event of the kind whose events together take the most room.
    private mutating func dropOldest(room: (EventDocument) -> Int) {
        var rooms: [String: Int] = [:]
        for event in events { rooms[event.kind, default: 0] += room(event) }
        let most = rooms.values.max()
        guard let oldest = events.firstIndex(where: { rooms[$0.kind] == most }) else { return }
        textBytes -= events.remove(at: oldest).textBytes
    }
}

extension EventDocument {
    fileprivate var textBytes: Int {
        details.reduce(text.utf8.count + (name?.utf8.count ?? 0)) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
