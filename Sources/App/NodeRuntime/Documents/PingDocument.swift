/// What one `partyline ping` brought.
package struct PingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.ping/1`.
    package var schema: String
    /// Short id of whom was asked.
    package var peer: String
    /// Its name.
    package var name: String
    /// `direct`, `via NAME` or `carrier`.
    package var path: String
    /// Round trip in milliseconds; absent where no answer came in time.
    package var rttMs: Double?

    package init(
        schema: String = PingDocument.schemaName, peer: String, name: String, path: String,
        rttMs: Double? = nil
    ) {
        self.schema = schema
        self.peer = peer
        self.name = name
        self.path = path
        self.rttMs = rttMs
    }

    package static let schemaName = "partyline.ping/1"

    private enum CodingKeys: String, CodingKey {
        case schema, peer, name, path
        case rttMs = "rtt_ms"
    }
}
