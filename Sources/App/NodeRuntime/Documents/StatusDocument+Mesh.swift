import AudioIO
import Carrier
import Channels
import Discovery
import MediaSocket
package import Mesh
import Node
package import Primitives
import StateStore
import Wire

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
        /// Which peers a split has cut off, as a line of `health` says it. Absent if people expect none back.
        package var split: String?
        /// Which peers were lost one by one, without a good-bye, as a line of `health` says it. Absent if people expect
        /// none back.
        package var lost: String?
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
            + sources.node.core.unplayed.counted.map { (Self.key(ofCounter: $0.name), $0.value) }
            + sources.node.core.directory.counters.nonZero.map { (Self.key(ofCounter: "\($0.name)"), $0.value) }
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
        (split, lost) = (sources.split, sources.lost)
    }

    /// `keyIDsExhausted` becomes `key_ids_exhausted`: a capital after a small letter begins a word.
    /// - Parameter name: in ASCII. Its bytes are read, because a `Character` asks Unicode's tables, and voice waits for
    ///   the node loop.
    package static func key(ofCounter name: String) -> String {
        let (capitals, small) = (UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"))
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        var key: [UInt8] = []
        var isAfterSmall = false
        for letter in name.utf8 {
            let isCapital = capitals.contains(letter)
            if isCapital, isAfterSmall { key.append(UInt8(ascii: "_")) }
            key.append(isCapital ? letter + 32 : letter)
            isAfterSmall = small.contains(letter) || digits.contains(letter)
        }
        return String(decoding: key, as: UTF8.self)
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

extension StatusDocument {
    /// Who hears whom. Cell j of row i is what node i says of its link to node j.
    package struct Matrix: Codable, Hashable, Sendable {
        /// Short ids, in the order of rows and columns.
        package var ids: [String]
        /// Names in the same order.
        package var names: [String]
        /// `ids.count` rows of `ids.count` cells.
        package var rows: [[Cell]]
    }

    /// What one node says of its link to another.
    package struct Cell: Codable, Hashable, Sendable {
        /// `direct`, `via`, `carrier`, `none`, `self`, or `unknown` if the node's link states have not arrived.
        package var path: String
        /// Lower end of the loss class in per cent.
        package var lossPct: Double?
        /// Upper end of the round-trip class in milliseconds.
        package var rttMs: Double?
    }
}

extension StatusDocument.Matrix {
    /// - Parameters:
    ///   - links: what each node says of its links. Rows and columns take their order.
    ///   - node: this node, whose own row is always known.
    package init(_ links: [AdvertisedLinks], saidBy node: NodeID) {
        ids = links.map(\.node.short)
        names = links.map(\.name.string)
        rows = links.map { row in
            // Every neighbour has at least the link to this node. So an empty list means that none has arrived.
            let isKnown = !row.entries.isEmpty || row.node == node
            return links.map { column -> StatusDocument.Cell in
                guard row.node != column.node else { return StatusDocument.Cell(path: "self") }
                guard let entry = row.entries.first(where: { $0.peer == column.node }) else {
                    return StatusDocument.Cell(path: isKnown ? "none" : "unknown")
                }
                return StatusDocument.Cell(
                    path: entry.path == .relay ? "via" : entry.path.word, lossPct: entry.lossPercentMin,
                    rttMs: entry.rttMillisecondsMax)
            }
        }
    }
}

extension AdvertisedLink {
    /// The lower end of the loss class in per cent; nil for a class of a later version.
    fileprivate var lossPercentMin: Double? {
        let ends: [Double] = [0, 0.1, 1, 5, 10, 20]
        return Int(lossClass) < ends.count ? ends[Int(lossClass)] : nil
    }

    /// The upper end of the round-trip class in milliseconds; nil if it is not known.
    fileprivate var rttMillisecondsMax: Double? { rttClass < 15 ? Double(1 << Int(rttClass)) : nil }
}
