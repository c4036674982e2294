import Mesh
import Primitives
import StateStore

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
        /// The whole NodeID of another key that is known under this name, or under a name that looks like it; absent if
        /// there is no such key, and as soon as the person has decided about this one.
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
        kept = node.directory.isKept
        dropped = node.directory.keys.droppedCount
        keys = node.directory.keys.all.map { key in
            let isBlocked = node.directory.preference(for: key.node).isBlocked
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
