import Foundation
import GRDB
package import Primitives

/// A key that this node has met, or about which its person has decided.
package struct KnownKey: Hashable, Sendable {
    package var node: NodeID
    /// The name under which the key was met last; empty if the key was never met.
    package var name: SafeText
    /// The name that the person has given to the key by `trust` or `verify`; empty without such a decision. The key may
    /// be met under another name meanwhile.
    package var ownName = SafeText("")
    /// The time since which the key has this name, or another that looks like it; 0 if the person has decided that the
    /// name is its own. Wall clock, seconds since 1970, as in the fields below.
    package var namedUnixSeconds: Int64
    package var firstSeenUnixSeconds: Int64
    package var lastSeenUnixSeconds: Int64
    package var trust: KeyTrust

    package init(node: NodeID, name: SafeText, seenUnixSeconds now: Int64, trust: KeyTrust) {
        self.node = node
        self.name = name
        self.namedUnixSeconds = now
        self.firstSeenUnixSeconds = now
        self.lastSeenUnixSeconds = now
        self.trust = trust
    }
}

/// The decision of the person at this node about a key. It is sent to no other node, but a node that asks learns
/// whether it is let in.
package enum KeyTrust: Int, CaseIterable, Sendable {
    /// It was linked. The person has said nothing about it.
    case met = 0
    /// The person said `accept` or `trust`.
    case trusted = 1
    /// The person has compared words with the other person, and they were equal.
    case verified = 2
    /// The person said `deny`.
    case denied = 3

    /// Whether the person vouches for the key.
    package var isVouchedFor: Bool {
        switch self {
        case .trusted, .verified: true
        case .met, .denied: false
        }
    }
}

/// The known keys as rows of the database. A row that does not parse is skipped.
///
/// `KnownKeys` forgets a key for each one beyond the bound. If the disk refuses that, there are too many rows. Then
/// those go about which the person has said nothing, in the order in which `KnownKeys` displaces them.
enum KnownKeyRows {
    private static let kept = """
        SELECT node FROM known_key
            ORDER BY trust = 0, last_seen_unix_s - first_seen_unix_s DESC, last_seen_unix_s DESC, node LIMIT ?
        """

    static func load(_ database: Database) throws -> [KnownKey] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM known_key WHERE node IN (\(kept)) ORDER BY node",
            arguments: [StateLimits.knownKeysMax])
        return rows.compactMap { row in
            guard let bytes = row["node"] as Data?, let node = NodeID([UInt8](bytes)),
                let name = row["name"] as String?, let named = row["named_unix_s"] as Int64?,
                let first = row["first_seen_unix_s"] as Int64?, let last = row["last_seen_unix_s"] as Int64?,
                let trust = (row["trust"] as Int?).flatMap(KeyTrust.init)
            else { return nil }
            var key = KnownKey(node: node, name: SafeText(name), seenUnixSeconds: last, trust: trust)
            (key.namedUnixSeconds, key.firstSeenUnixSeconds) = (named, first)
            key.ownName = SafeText((row["own_name"] as String?) ?? "")
            return key
        }
    }

    static func save(_ key: KnownKey, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO known_key
                    (node, name, named_unix_s, first_seen_unix_s, last_seen_unix_s, trust, own_name)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                Data(key.node.bytes), key.name.string, key.namedUnixSeconds, key.firstSeenUnixSeconds,
                key.lastSeenUnixSeconds, key.trust.rawValue, key.ownName.string,
            ])
        try database.execute(
            sql: "DELETE FROM known_key WHERE node NOT IN (\(kept))", arguments: [StateLimits.knownKeysMax])
    }

    static func forget(_ node: NodeID, in database: Database) throws {
        try database.execute(sql: "DELETE FROM known_key WHERE node = ?", arguments: [Data(node.bytes)])
    }
}
