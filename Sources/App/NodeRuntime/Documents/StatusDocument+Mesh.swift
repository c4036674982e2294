import AudioIO
import Carrier
import Channels
import Discovery
import MediaSocket
import Mesh
import Node
import Primitives
import StateStore

extension StatusDocument {
    /// The mesh as this node sees it.
    package struct Mesh: Codable, Hashable, Sendable {
        /// The number of other nodes to which a link should be up: seen, and neither leaving, dead nor blocked.
        package var peersKnown: Int
        /// The number of them that are linked.
        package var linksUp: Int
        /// Whether every node hears every other, as far as this node knows. Nodes that are kept out here do not count.
        package var cliqueComplete: Bool
        /// The number of peers that have the same view of the mesh.
        package var digestAgree: Int
        /// Signs that the fault is this node's own: 0 is healthy, 8 the worst.
        package var localHealth: Int
        /// The number of pairs of other nodes for which this node forwards.
        package var pairsRelayed: Int
        /// Every counter that is not zero, by name: those of the mesh (`ghost_hellos`, `links_up`, …), and those of
        /// carriers, media socket, sound and state folder with the prefixes `tcp_`, `udp_`, `audio_` and `state_`.
        package var counters: [String: UInt64]
    }
}

extension StatusDocument.Mesh {
    init(_ sources: StatusSources) {
        let mesh = sources.mesh
        peersKnown = mesh.peersKnown
        linksUp = mesh.peers.filter(\.state.isLinked).count
        // A node that has seen no other node misses no link.
        cliqueComplete = sources.isCliqueComplete || mesh.peersKnown == 0
        digestAgree = mesh.peersAgreeingOnDigest
        localHealth = mesh.localHealth
        pairsRelayed = mesh.pairsRelayed
        let counted =
            mesh.counters.map { (Self.key(ofCounter: $0.name), $0.value) }
            + sources.node.core.unheard.counted.map { (Self.key(ofCounter: $0.name), $0.value) }
            + sources.node.core.calls.counters.nonZero.map { (Self.key(ofCounter: "\($0.name)"), $0.value) }
            + sources.node.core.codes.counters.nonZero.map { (Self.key(ofCounter: "\($0.name)"), $0.value) }
            + sources.carrier.nonZero.map { ("tcp_" + Self.key(ofCounter: "\($0.name)"), $0.value) }
            + sources.node.parts.media.counters.nonZero.map {
                ("udp_" + Self.key(ofCounter: "\($0.name)"), $0.value)
            } + sources.audio.counted.map { ("audio_" + $0.key, $0.value) }
            + [
                ("state_changes_lost", sources.node.parts.state.database.changes.lost),
                ("services_dropped", sources.node.parts.avahi?.servicesDropped ?? 0),
            ].filter { $0.1 != 0 }
        counters = Dictionary(counted, uniquingKeysWith: +)
    }

    /// `keyIDsExhausted` becomes `key_ids_exhausted`: a capital after a small letter begins a word.
    package static func key(ofCounter name: String) -> String {
        var result = ""
        var isAfterSmall = false
        for character in name {
            if character.isUppercase, isAfterSmall { result.append("_") }
            result.append(contentsOf: character.lowercased())
            isAfterSmall = character.isLowercase || character.isNumber
        }
        return result
    }

    var metrics: [Metric] {
        [
            Metric("peers_known", "Other nodes that are known to be there.", Double(peersKnown)),
            Metric("links_up", "Peers to which voice can pass.", Double(linksUp)),
            Metric("clique_complete", "1 where everybody hears everybody.", cliqueComplete ? 1 : 0),
            Metric("peers_agreeing", "Peers that have the same view of the mesh.", Double(digestAgree)),
            Metric("local_health_lost", "Signs that the fault is this node's own, 0 to 8.", Double(localHealth)),
            Metric("pairs_relayed", "Pairs of others for which this node forwards.", Double(pairsRelayed)),
            Metric(
                "counted_total", .counter, "What the node counts and is not zero, by name.",
                counters.sorted { $0.key < $1.key }.map {
                    Metric.Sample(labels: [("what", $0.key)], value: Double($0.value))
                }),
        ]
    }
}
