package import ControlPlane
package import Mesh
package import Primitives
import Wire

extension StatusDocument.Matrix {
    /// Who hears whom, as the nodes of `rows` say it, in their order.
    ///
    /// - Parameter node: this node, whose own row is always known.
    package init(_ rows: [AdvertisedLinks], toldBy node: NodeID) {
        let cells = rows.map { row in
            // Whoever has told its row is linked to this node, so an empty one has not come yet.
            let isKnown = !row.entries.isEmpty || row.node == node
            return rows.map { column -> StatusDocument.Cell in
                guard row.node != column.node else { return StatusDocument.Cell(path: "self") }
                guard let entry = row.entries.first(where: { $0.peer == column.node }) else {
                    return StatusDocument.Cell(path: isKnown ? "none" : "unknown")
                }
                return StatusDocument.Cell(
                    path: entry.path == .relay ? "via" : entry.path.word, lossPct: entry.lossPercentMin,
                    rttMs: entry.rttMillisecondsMax)
            }
        }
        self.init(ids: rows.map(\.node.short), names: rows.map(\.name.string), rows: cells)
    }
}

extension AdvertisedLink {
    /// The lower end of the loss class in per cent; nil for a class of a later version.
    fileprivate var lossPercentMin: Double? {
        let ends: [Double] = [0, 0.1, 1, 5, 10, 20]
        return Int(lossClass) < ends.count ? ends[Int(lossClass)] : nil
    }

    /// The upper end of the round-trip class in milliseconds; nil where it is not known.
    fileprivate var rttMillisecondsMax: Double? { rttClass < 15 ? Double(1 << Int(rttClass)) : nil }
}
