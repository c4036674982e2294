import ControlPlane
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

extension NamedKey {
    /// The key for a sentence: its name with its short id.
    var subject: String { name.isEmpty ? node.short : "\(name) (\(node.short))" }
}

extension NodeLoop {
    /// The key that a person names, in every verb that shows a key or decides about it. A name that two keys have means
    /// neither, also if one of them is linked: else one verb would show the one, and the next would let the other in.
    ///
    /// - Throws: `noSuchPeer` or `ambiguousPeer`.
    func key(named text: String) throws(ControlFailure) -> NamedKey {
        try PeerLookup.find(text, among: namedKeys(), prefersLinked: false)
    }

    /// The peers, and the known or blocked keys that are no peers now.
    func namedKeys() -> [NamedKey] {
        let peers = peers().map { NamedKey(node: $0.node, name: $0.name, isHere: $0.isHere) }
        let present = Set(peers.map(\.node))
        let known = directory.keys.all.filter { !present.contains($0.node) }
            .map { NamedKey(node: $0.node, name: $0.name, isHere: false) }
        // A key that was forgotten may be blocked still.
        let blocked = directory.blocked.filter { !present.contains($0) && directory.keys[$0] == nil }
            .map { NamedKey(node: $0, name: SafeText(""), isHere: false) }
        return peers + known + blocked
    }
}
