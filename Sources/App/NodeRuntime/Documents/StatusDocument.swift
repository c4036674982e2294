/// What `partyline status --json` prints: the whole health of one node. Keys carry their units; a
/// key that is absent means that the figure is not known.
package struct StatusDocument: Codable, Hashable, Sendable {
    /// Always `partyline.status/1`; a reader refuses another number after the stroke.
    package var schema: String
    /// This node.
    package var node: Node
    /// Its sound.
    package var audio: Audio
    /// What it knows of the whole mesh.
    package var mesh: Mesh
    /// How each way of finding peers fares, for example `"avahi": "running"`, `"beacon": "no
    /// bus"`.
    package var discovery: [String: String]
    /// What is wrong, one sentence each; empty where all is well.
    package var health: [String]
    /// Everyone it knows, by name.
    package var peers: [Peer]
    /// Who hears whom.
    package var matrix: Matrix

    package init(
        schema: String = StatusDocument.schemaName, node: Node, audio: Audio, mesh: Mesh,
        discovery: [String: String] = [:], health: [String] = [], peers: [Peer] = [],
        matrix: Matrix = Matrix(ids: [], names: [], rows: [])
    ) {
        self.schema = schema
        self.node = node
        self.audio = audio
        self.mesh = mesh
        self.discovery = discovery
        self.health = health
        self.peers = peers
        self.matrix = matrix
    }

    package static let schemaName = "partyline.status/1"

    /// What `status --check` answers with exit code 4.
    package var isDegraded: Bool { !health.isEmpty || !mesh.cliqueComplete }
}
