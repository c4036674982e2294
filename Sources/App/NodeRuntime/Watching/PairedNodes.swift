package import Primitives

/// The nodes that were given the secret by pairing codes and were not linked since: people are told of their first
/// link.
package struct PairedNodes {
    /// One more takes the place of the oldest.
    package static let countMax = 8

    private var nodes: [NodeID] = []

    package init() {}

    package mutating func add(_ node: NodeID) {
        nodes.removeAll { $0 == node }
        if nodes.count == PairedNodes.countMax { nodes.removeFirst() }
        nodes.append(node)
    }

    /// Removes a node that is linked now. Returns whether it was there.
    package mutating func remove(_ node: NodeID) -> Bool {
        guard let index = nodes.firstIndex(of: node) else { return false }
        nodes.remove(at: index)
        return true
    }
}
