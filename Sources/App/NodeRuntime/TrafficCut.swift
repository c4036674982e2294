import Primitives

/// Peers that this node pretends not to reach, as if a cable were cut: for the laboratory's
/// `--block`, which shows repair on real processes. Empty in every other use.
struct TrafficCut {
    private var nodes: Set<NodeID> = []
    private var endpoints: Set<Endpoint> = []

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

    func severs(_ node: NodeID) -> Bool { nodes.contains(node) }
    func severs(_ endpoint: Endpoint) -> Bool { endpoints.contains(endpoint) }
}
