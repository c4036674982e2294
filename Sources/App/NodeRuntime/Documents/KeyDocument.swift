import Primitives
import StateStore

/// The answer to a request about one key: the node that has the key, and the person's decision about it from now on.
package struct KeyDocument: Codable, Hashable, Sendable {
    /// Always `partyline.key/1`.
    package var schema = "partyline.key/1"
    /// The name of the node; empty if it was never met.
    package var name: String
    /// The whole NodeID in its written form.
    package var id: String
    /// A label for people. It proves nothing.
    package var shortId: String
    /// `met`, `trusted`, `verified` or `denied`; absent for a key that is forgotten.
    package var trust: String?
    /// Whether the person here refuses all links to the node; a decision about the key does not end that.
    package var blocked: Bool
    /// Whether the decision is kept for the next start; false for a guest.
    package var kept: Bool
}

extension KeyDocument {
    /// Call it on the node loop.
    init(_ key: NamedKey, at node: NodeLoop) {
        name = key.name.string
        id = key.node.text
        shortId = key.node.short
        trust = node.directory.keys[key.node]?.trust.word
        blocked = node.directory.preference(for: key.node).isBlocked
        kept = node.directory.isKept
    }

    /// The node for a sentence: its name with its short id.
    package var subject: String { name.isEmpty ? shortId : "\(name) (\(shortId))" }
}
