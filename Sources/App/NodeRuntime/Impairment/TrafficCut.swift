import Primitives

/// Peers that this node pretends not to reach, as if a cable were cut: for the laboratory's
/// `--block`, which shows repair on real processes. Empty in every other use.
struct TrafficCut {
    private var nodes: Set<NodeID> = []
    private var endpoints: Set<Endpoint> = []
    /// Whose carrier is whose, so that a cut reaches streams that were open before it.
    private var carriers: [CarrierID: NodeID] = [:]

    var isEmpty: Bool { nodes.isEmpty && endpoints.isEmpty }

    mutating func set(_ node: NodeID, at known: [Endpoint], isCut: Bool) {
        if isCut {
            nodes.insert(node)
            endpoints.formUnion(known)
        } else {
            nodes.remove(node)
            endpoints.subtract(known)
        }
    }

    mutating func open(_ carrier: CarrierID, to node: NodeID) { carriers[carrier] = node }
    mutating func close(_ carrier: CarrierID) { carriers[carrier] = nil }

    func severs(_ carrier: CarrierID) -> Bool { carriers[carrier].map(nodes.contains) ?? false }
    func severs(_ node: NodeID) -> Bool { nodes.contains(node) }
    func severs(_ endpoint: Endpoint) -> Bool { endpoints.contains(endpoint) }
}
