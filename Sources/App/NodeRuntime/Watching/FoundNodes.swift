package import Primitives

/// The nodes that are there as far as this node knows, with or without a link. It tells what has changed since the last
/// look.
package struct FoundNodes {
    /// A node that was found, or is no longer.
    package struct Change: Hashable, Sendable {
        package var node: NodeID
        /// The name in its record.
        package var name: SafeText
        package var isFound: Bool

        package init(node: NodeID, name: SafeText, isFound: Bool) {
            (self.node, self.name, self.isFound) = (node, name, isFound)
        }
    }

    private var names: [NodeID: SafeText] = [:]

    package init() {}

    /// Takes all nodes that are there now, and returns the changes, sorted by NodeID.
    package mutating func update(_ there: [NodeID: SafeText]) -> [Change] {
        let found = there.filter { names[$0.key] == nil }
        let lost = names.filter { there[$0.key] == nil }
        names = there
        let changes =
            found.map { Change(node: $0.key, name: $0.value, isFound: true) }
            + lost.map { Change(node: $0.key, name: $0.value, isFound: false) }
        return changes.sorted { $0.node < $1.node }
    }
}
