package import Mesh
package import Primitives
import Wire

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
