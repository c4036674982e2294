package import Primitives

/// The present name of each node, and the one before it. When a further node needs room, the nodes whose keys are not
/// known lose their names: strangers, or a member that invents nodes, can bring new keys without end.
package struct PeerNames {
    /// More than there can be known keys (`StateLimits.knownKeysMax`), so that there is always room.
    package static let countMax = 4_096

    private var names: [NodeID: SafeText] = [:]
    /// Of nodes in `names` that had another one.
    private var formerNames: [NodeID: SafeText] = [:]

    package init() {}

    /// The present name; nil if there is none.
    package subscript(node: NodeID) -> SafeText? { names[node] }

    /// The name before the present one; nil if there is none.
    package func former(of node: NodeID) -> SafeText? { formerNames[node] }

    /// - Parameter isKnown: whether the key of a node is known, so that the node keeps its name when others lose
    ///   theirs. It is true of fewer than `countMax` nodes.
    package mutating func set(_ name: SafeText, of node: NodeID, isKnown: (NodeID) -> Bool) {
        if names[node] == nil, PeerNames.countMax <= names.count {
            names = names.filter { isKnown($0.key) }
            formerNames = formerNames.filter { isKnown($0.key) }
        }
        if let former = names[node], !former.isEmpty, former != name { formerNames[node] = former }
        names[node] = name
    }
}
