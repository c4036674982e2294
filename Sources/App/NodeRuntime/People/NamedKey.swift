import Mesh
package import Primitives
import StateStore

/// A peer or a known key that a person may name.
package struct NamedKey: Named {
    package var node: NodeID
    package var name: SafeText
    package var isHere: Bool

    package init(node: NodeID, name: SafeText, isHere: Bool) {
        (self.node, self.name, self.isHere) = (node, name, isHere)
    }
}

extension NodeLoop {
    /// The peers, and the known keys that are no peers now.
    func namedKeys() -> [NamedKey] {
        let peers = peers().map { NamedKey(node: $0.node, name: $0.name, isHere: $0.isHere) }
        let present = Set(peers.map(\.node))
        return peers
            + directory.keys.all.filter { !present.contains($0.node) }
            .map { NamedKey(node: $0.node, name: $0.name, isHere: false) }
    }
}
