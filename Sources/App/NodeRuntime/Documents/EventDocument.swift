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
    /// A word for programs: `peer_up`, `peer_down`, `path_changed`, `talking`, `clique_complete`, …
    package var kind: String
    /// Short id of the peer that it is about.
    package var peer: String?
    /// Name of that peer.
    package var name: String?
    /// One sentence for people.
    package var text: String
    /// More for programs, by key.
    package var details: [String: String]
}
