import Discovery
import Mesh
import Primitives

/// What `partyline status --json` prints: the whole status of one node. Keys end with their units. An absent key means
/// that the figure is not known.
///
/// Each part has a file with its fields and their meanings, with the code that fills them from `StatusSources`, and
/// with the metrics of `partyline stats`. A new field is a property and an assignment in that file. A text also needs a
/// rule in `App/Commands/Report/ReportRule.swift`, or `partyline report` leaves it out. A fact of the mesh comes from
/// `MeshStatus`, and one of a peer from `PeerStatus`. A fact of a peer that the node loop alone knows is a field
/// of `Peer.Reading` too.
package struct StatusDocument: Codable, Hashable, Sendable {
    /// Always `partyline.status/1`.
    package var schema = "partyline.status/1"
    /// This node.
    package var node: Node
    /// Its sound.
    package var audio: Audio
    /// What the node knows of the whole mesh.
    package var mesh: Mesh
    /// The state of each method of finding peers, for example `"avahi": "running"`.
    package var discovery: [String: String]
    /// The problems of the node and its mesh, one sentence each; empty if there is none.
    package var health: [String]
    /// Every peer that the node knows, in the order of NodeIDs; a newcomer with another code only while it tries.
    package var peers: [Peer]
    /// Who hears whom.
    package var matrix: Matrix

    /// Whether `status --check` ends with exit code 4.
    package var isDegraded: Bool { !health.isEmpty || !mesh.cliqueComplete }
}

/// A status as the node loop reads it. Voice waits for the node loop, so the parts that grow with the number of peers
/// are made elsewhere, from values.
struct StatusReading: Sendable {
    fileprivate let node: StatusDocument.Node
    fileprivate let audio: StatusDocument.Audio
    fileprivate let mesh: StatusDocument.Mesh
    fileprivate let discovery: [String: String]
    fileprivate let health: [String]
    fileprivate let peers: [StatusDocument.Peer.Reading]
    /// What this node and each linked peer say of their links. The first row is that of this node.
    fileprivate let links: [AdvertisedLinks]
    fileprivate let ownID: NodeID

    /// Call it on the node loop.
    init(_ sources: StatusSources) {
        node = StatusDocument.Node(sources)
        audio = StatusDocument.Audio(sources)
        mesh = StatusDocument.Mesh(sources)
        discovery = [
            "avahi": sources.node.parts.avahi?.status ?? "off",
            "beacon": sources.node.parts.beacon?.status ?? "off",
            "peers": StatusReading.words(for: sources.description.options.peers.map(\.description)),
        ]
        health = sources.troubles
        peers = sources.mesh.peers.map { StatusDocument.Peer.Reading($0, sources) }
        (links, ownID) = (sources.mesh.matrix, sources.mesh.node)
    }

    private static func words(for peers: [String]) -> String {
        peers.isEmpty ? "none given" : peers.joined(separator: ", ")
    }
}

extension StatusDocument {
    /// Its time grows faster than the number of peers, so it is not called on the node loop.
    init(_ reading: StatusReading) {
        (node, audio, mesh) = (reading.node, reading.audio, reading.mesh)
        (discovery, health) = (reading.discovery, reading.health)
        peers = reading.peers.map { Peer($0) }
        matrix = Matrix(reading.links, saidBy: reading.ownID)
    }

    /// All metrics of this status.
    package var metrics: [Metric] {
        node.metrics + [Metric("degraded", "1 where something is not as it should be.", isDegraded ? 1 : 0)]
            + audio.metrics + mesh.metrics + Peer.metrics(of: peers)
    }
}

extension SafeText {
    /// The text; nil if it is empty.
    var nonEmpty: String? { isEmpty ? nil : string }
}

/// One figure of the status for monitoring systems, with all its samples. A name ends with its base unit.
package struct Metric: Sendable {
    package enum Kind: String, Sendable { case gauge, counter }

    package struct Sample: Sendable {
        package var labels: [(name: String, text: String)] = []
        package var value: Double
    }

    package let name: String
    package let kind: Kind
    /// The meaning of the figure, in one sentence.
    package let help: String
    /// Empty if the figure is not known.
    package let samples: [Sample]

    init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// A gauge with one sample; with none if `value` is nil.
    init(_ name: String, _ help: String, _ value: Double?) {
        self.init(name, .gauge, help, value.map { [Sample(value: $0)] } ?? [])
    }
}
