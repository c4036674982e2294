/// The peers to which this node gives a permission. Roles are the shell's: it names the nodes that have one.
package enum Grant: Hashable, Sendable {
    case anyone
    case nobody
    case nodes(Set<NodeID>)

    /// - Parameter node: nil for a peer that is not known; only a grant to anyone admits it.
    package func admits(_ node: NodeID?) -> Bool {
        switch self {
        case .anyone: true
        case .nobody: false
        case .nodes(let nodes): node.map { nodes.contains($0) } ?? false
        }
    }

    /// Whether each peer that `former` admits is admitted still.
    package func covers(_ former: Grant) -> Bool {
        switch (self, former) {
        case (.anyone, _), (_, .nobody): true
        case (.nodes(let nodes), .nodes(let others)): others.isSubset(of: nodes)
        case (.nobody, _), (.nodes, .anyone): false
        }
    }
}
