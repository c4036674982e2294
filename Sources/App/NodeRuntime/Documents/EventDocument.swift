/// One line of `partyline events --json`: something happened.
package struct EventDocument: Codable, Hashable, Sendable {
    /// Always `partyline.event/1`.
    package var schema: String
    /// Counts events of this start; a gap says that some were dropped.
    package var sequence: UInt64
    /// Wall clock, seconds since 1970, for people; order is by `sequence`.
    package var atUnixSeconds: Double
    /// On the node's monotonic line, since its start.
    package var uptimeSeconds: Double
    /// A word for programs: `peer_up`, `peer_down`, `path_changed`, `talking`, `clique_complete`,
    /// …
    package var kind: String
    /// Short id of whom it is about.
    package var peer: String?
    /// Name of whom it is about.
    package var name: String?
    /// One sentence for people.
    package var text: String
    /// More for programs, by key.
    package var details: [String: String]

    package init(
        schema: String = EventDocument.schemaName, sequence: UInt64, atUnixSeconds: Double,
        uptimeSeconds: Double, kind: String, peer: String? = nil, name: String? = nil,
        text: String, details: [String: String] = [:]
    ) {
        self.schema = schema
        self.sequence = sequence
        self.atUnixSeconds = atUnixSeconds
        self.uptimeSeconds = uptimeSeconds
        self.kind = kind
        self.peer = peer
        self.name = name
        self.text = text
        self.details = details
    }

    package static let schemaName = "partyline.event/1"

    private enum CodingKeys: String, CodingKey {
        case schema, sequence, kind, peer, name, text, details
        case atUnixSeconds = "at_unix_s"
        case uptimeSeconds = "uptime_s"
    }
}
