import Mesh
import Primitives
import StateStore
import Trust

/// What `partyline peers known --json` prints: the keys that this node has met, or about which its person has decided.
package struct KnownKeysDocument: Codable, Hashable, Sendable {
    /// Always `partyline.known/1`.
    package var schema = "partyline.known/1"
    /// Whether the keys are kept for the next start; false for a guest.
    package var kept: Bool
    /// Keys that were not kept, because there was no room.
    package var dropped: UInt64
    /// By name, then by NodeID.
    package var keys: [Key]

    /// One key.
    package struct Key: Codable, Hashable, Sendable {
        /// The name under which the key was met last; empty if the key was never met.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// A label for people. It proves nothing.
        package var shortId: String
        /// The person's decision about the key: `met`, `trusted`, `verified` or `denied`.
        package var trust: String
        /// Whether the person here refuses all links to the node.
        package var blocked: Bool
        /// The whole NodeID of another key that was known under this name, or under a name that looks like it, before
        /// this one; absent if there is no such key, and as soon as the person has decided about this one.
        package var otherKey: String?
        /// Whether the peer is linked now.
        package var here: Bool
        /// The time since which the key has this name, in seconds since 1970; 0 if the person here has decided that the
        /// name is its own.
        package var namedUnixS: UInt64
        /// When the key was first met, in seconds since 1970.
        package var firstSeenUnixS: UInt64
        /// When the key was met last, in seconds since 1970.
        package var lastSeenUnixS: UInt64
    }
}

extension KnownKeysDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop) {
        let here = node.linkedNodes
        kept = node.peerDirectory.isKept
        dropped = node.peerDirectory.keys.droppedCount
        keys = node.peerDirectory.keys.all.map { key in
            let isBlocked = node.peerDirectory.preference(for: key.node).isBlocked
            let isHere = here.contains(key.node)
            return Key(key, isBlocked: isBlocked, rival: node.rival(of: key, isHere: isHere), isHere: isHere)
        }
    }
}

extension KnownKeysDocument.Key {
    init(_ key: KnownKey, isBlocked: Bool, rival: KnownKey?, isHere: Bool) {
        name = key.name.string
        id = key.node.text
        shortId = key.node.short
        trust = key.trust.word
        blocked = isBlocked
        otherKey = rival?.node.text
        here = isHere
        namedUnixS = UInt64(clamping: key.namedUnixSeconds)
        firstSeenUnixS = UInt64(clamping: key.firstSeenUnixSeconds)
        lastSeenUnixS = UInt64(clamping: key.lastSeenUnixSeconds)
    }
}

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
        trust = node.peerDirectory.keys[key.node]?.trust.word
        blocked = node.peerDirectory.preference(for: key.node).isBlocked
        kept = node.peerDirectory.isKept
    }

    /// The node for a sentence: its name with its short id.
    package var subject: String { name.isEmpty ? shortId : "\(name) (\(shortId))" }
}

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
        trust = node.peerDirectory.keys[key.node]?.trust.word
        kept = node.peerDirectory.isKept
    }
}
