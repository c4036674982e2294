import Primitives
import StateStore
import Trust

/// What `partyline verify --json` prints: the words to compare with the person at a peer.
package struct VerifyDocument: Codable, Hashable, Sendable {
    /// Always `partyline.verify/1`.
    package var schema = "partyline.verify/1"
    /// The name that the peer gives itself. It proves nothing.
    package var name: String
    /// The whole NodeID in its written form.
    package var id: String
    /// A label for people. It proves nothing.
    package var shortId: String
    /// Four words, which the other person sees too if nobody stands between the nodes. Absent if the peer did not take
    /// part in time.
    package var words: String?
    /// The decision of the person here about the key: `met`, `trusted`, `verified` or `denied`; absent if the key was
    /// never met.
    package var trust: String?
    /// Whether the decision is kept for the next start; false for a guest.
    package var kept: Bool
}

extension VerifyDocument {
    /// What `partyline verify --yes --json` prints: the key of the answer, without words.
    package init(_ key: KeyDocument) {
        (name, id, shortId) = (key.name, key.id, key.shortId)
        (trust, kept) = (key.trust, key.kept)
    }

    /// Call it on the node loop.
    init(_ key: NamedKey, words: ComparedWords?, at node: NodeLoop) {
        name = key.name.string
        id = key.node.text
        shortId = key.node.short
        self.words = words?.text
        trust = node.directory.keys[key.node]?.trust.word
        kept = node.directory.isKept
    }
}
