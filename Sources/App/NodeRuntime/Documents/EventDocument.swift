/// One line of `partyline events --json`: something happened.
package struct EventDocument: Codable, Hashable, Sendable {
    /// Always `partyline.event/1`.
    package var schema = "partyline.event/1"
    /// Counts events of this start; a gap says that some were dropped.
    package var sequence: UInt64
    /// Wall clock, seconds since 1970, for people; order is by `sequence`.
    package var atUnixS: Double
    /// On the node's monotonic line, since its start.
    package var uptimeS: Double
    /// A word of `EventKind`; of a later version, maybe one that is not there.
    package var kind: String
    /// Short id of the peer that it is about.
    package var peer: String?
    /// Name of that peer.
    package var name: String?
    /// One sentence for people.
    package var text: String
    /// More for programs; `EventKind` lists the keys.
    package var details: [String: String]
}
