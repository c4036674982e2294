/// What `partyline id --json` prints.
package struct IdentityDocument: Codable, Hashable, Sendable {
    /// Always `partyline.id/1`.
    package var schema: String
    /// The node's name on this machine.
    package var name: String
    /// The whole NodeID in its written form.
    package var id: String
    /// A label, proof of nothing.
    package var shortID: String
    /// Which start; the last one where no node runs.
    package var instance: UInt64?
    /// Where the identity is kept.
    package var stateDirectory: String
    /// The identity lives in memory alone.
    package var guest: Bool
    /// Whether a node answered, or the files were read.
    package var running: Bool

    package init(
        schema: String = IdentityDocument.schemaName, name: String, id: String, shortID: String,
        instance: UInt64? = nil, stateDirectory: String, guest: Bool = false, running: Bool
    ) {
        self.schema = schema
        self.name = name
        self.id = id
        self.shortID = shortID
        self.instance = instance
        self.stateDirectory = stateDirectory
        self.guest = guest
        self.running = running
    }

    package static let schemaName = "partyline.id/1"

    private enum CodingKeys: String, CodingKey {
        case schema, name, id, instance, guest, running
        case shortID = "short_id"
        case stateDirectory = "state_directory"
    }
}
