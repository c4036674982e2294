/// One line of `partyline events --json`: something happened.
package struct EventDocument: Codable, Hashable, Sendable {
    /// Always `partyline.event/1`.
    package var schema = "partyline.event/1"
    /// The name of the station that the event is about: the node's name on this machine.
    package var station: String
    /// Number of the event within this start of the node. A gap means that events were dropped.
    package var sequence: UInt64
    /// Wall time in seconds since 1970, for people. The order of events is that of `sequence`.
    package var atUnixS: Double
    /// Seconds since the node's start, by its monotonic clock.
    package var uptimeS: Double
    /// A raw value of `EventKind`. A node of a later version may send others.
    package var kind: String
    /// Short id of the peer that the event is about.
    package var peer: String?
    /// Name of that peer.
    package var name: String?
    /// One sentence for people.
    package var text: String
    /// More for programs; `EventKind` lists the keys.
    package var details: [String: String]
}

/// The events that a node has told lately.
package struct EventsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.events/1`.
    package var schema = "partyline.events/1"
    /// The events, the oldest first.
    package var events: [EventDocument]
}
