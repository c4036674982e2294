import Discovery
import Mesh
import Primitives

/// What `partyline status --json` prints: the whole health of one node. Keys carry their units; a key that is absent
/// means that the figure is not known.
///
/// Each part has a file: its fields with what they mean, how they are found in `StatusSources`, and the metrics of
/// `partyline stats`. A new field is a property and an assignment there.
package struct StatusDocument: Codable, Hashable, Sendable {
    /// Always `partyline.status/1`.
    package var schema = "partyline.status/1"
    /// This node.
    package var node: Node
    /// Its sound.
    package var audio: Audio
    /// What it knows of the whole mesh.
    package var mesh: Mesh
    /// How each way of finding peers fares, for example `"avahi": "running"`, `"beacon": "no bus"`.
    package var discovery: [String: String]
    /// What is wrong, one sentence each; empty where all is well.
    package var health: [String]
    /// Every peer that it knows, in the order of NodeIDs.
    package var peers: [Peer]
    /// Who hears whom.
    package var matrix: Matrix

    /// What `status --check` answers with exit code 4.
    package var isDegraded: Bool { !health.isEmpty || !mesh.cliqueComplete }
}

extension StatusDocument {
    init(_ sources: StatusSources) {
        node = Node(sources)
        audio = Audio(sources)
        mesh = Mesh(sources)
        discovery = [
            "avahi": sources.node.parts.avahi?.status ?? "off",
            "beacon": sources.node.parts.beacon?.status ?? "off",
            "peers": StatusDocument.words(for: sources.description.options.peers.map(\.description)),
        ]
        health = sources.troubles
        peers = sources.mesh.peers.map { Peer($0, sources) }
        matrix = Matrix(sources.mesh.matrix, saidBy: sources.mesh.node)
    }

    private static func words(for peers: [String]) -> String {
        peers.isEmpty ? "none given" : peers.joined(separator: ", ")
    }

    /// Everything that can be measured.
    package var metrics: [Metric] {
        node.metrics + [Metric("degraded", "1 where something is not as it should be.", isDegraded ? 1 : 0)]
            + audio.metrics + mesh.metrics + Peer.metrics(of: peers)
    }
}
