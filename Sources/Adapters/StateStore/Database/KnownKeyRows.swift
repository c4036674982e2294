import Foundation
import GRDB
import Primitives

/// The known keys as rows of the database. A row that does not parse is skipped.
enum KnownKeyRows {
    static func load(_ database: Database) throws -> [KnownKey] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM known_key ORDER BY node LIMIT ?", arguments: [StateLimits.knownKeysMax])
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
    }

    static func forget(_ node: NodeID, in database: Database) throws {
        try database.execute(sql: "DELETE FROM known_key WHERE node = ?", arguments: [Data(node.bytes)])
    }
}
