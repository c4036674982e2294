import Primitives
import Trust
import Wire

/// Two epoch entries or more, none of which follows another (`EpochChange`).
struct EpochDispute {
    var number: UInt32
    var stay: Set<NodeID>
    var left: Set<NodeID>
    /// The epoch that waited or was being stored when the dispute began, with its sender, which is nil if this node
    /// made the epoch. It follows if no epoch can unite all.
    let before: (mesh: ClosedMesh, sender: NodeID?)?
    /// The key of the code that holds now.
    let presentCodeKey: [UInt8]?
    /// Until then another node may make the next epoch.
    let until: Instant

    mutating func unite(with entry: EpochEntry) {
        number = max(number, entry.number)
        let staying = entry.stay.filter { !stay.contains($0) }
        stay.formUnion(staying.prefix(max(0, MeshLimits.epochDisputeStayMax - stay.count)))
        // One more than an entry can name shows that no epoch unites them.
        let leaving = entry.left.filter { !left.contains($0) }
        left.formUnion(leaving.prefix(max(0, WireLimits.epochNodesMax + 1 - left.count)))
    }

    /// The key of the code of the epoch that ends the dispute. That epoch has no code if any entry in dispute names
    /// a node that has left, even if all do: the node may have entered again, and one maker may have given it the
    /// present code, while another maker leaves it behind anew.
    var codeKey: [UInt8]? { left.isEmpty ? presentCodeKey : nil }
}
