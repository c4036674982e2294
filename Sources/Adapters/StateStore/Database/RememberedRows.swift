import Foundation
import GRDB
import Primitives

/// Converts between rows of the database and values. A row that does not parse is skipped: what is remembered is
/// useful, but never needed.
enum RememberedRows {
    static func load(_ database: Database) throws -> Remembered {
        var remembered = Remembered()
        let peers = try Row.fetchAll(
            database, sql: "SELECT * FROM peer ORDER BY last_seen_unix_s DESC, node LIMIT ?",
            arguments: [StateLimits.knownPeersMax])
        remembered.peers = peers.compactMap(peer)
        let preferences = try Row.fetchAll(
            database, sql: "SELECT * FROM preference ORDER BY node LIMIT ?",
            arguments: [StateLimits.preferencesMax])
        remembered.preferences = preferences.compactMap(preference)
        // All of them: the directory has a bound of its own, and names the rows that are to be forgotten.
        let entries = try Row.fetchAll(database, sql: "SELECT id, entry FROM channel ORDER BY id")
        remembered.channelEntries = entries.compactMap { row in
            guard let id = row["id"] as Data?, let channel = ChannelID(bytes: [UInt8](id), hasCode: false),
                let entry = row["entry"] as Data?
            else { return nil }
            return RememberedEntry(channel: channel, bytes: [UInt8](entry))
        }
        let hidden = try Row.fetchAll(
            database, sql: "SELECT * FROM hidden_channel ORDER BY id LIMIT ?",
            arguments: [StateLimits.hiddenChannelsMax])
        remembered.hiddenChannels = hidden.compactMap { row in
            guard let id = row["id"] as Data?, let hasCode = row["has_code"] as Bool? else { return nil }
            return ChannelID(bytes: [UInt8](id), hasCode: hasCode)
        }
        remembered.knownKeys = try KnownKeyRows.load(database)
        remembered.joinedChannels = try JoinedChannelRows.load(database)
        remembered.channelCodes = try ChannelCodeRows.load(database)
        let fields = try Row.fetchAll(
            database, sql: "SELECT name, value FROM setting WHERE name LIKE ? ORDER BY name LIMIT ?",
            arguments: [profilePrefix + "%", StateLimits.profileFieldsMax])
        for row in fields {
            guard let name = row["name"] as String?, let value = row["value"] as String? else { continue }
            remembered.profile[String(name.dropFirst(profilePrefix.count))] = value
        }
        remembered.port = try setting("port", database).flatMap { UInt16($0) }
        remembered.input = try setting("input", database)
        remembered.output = try setting("output", database)
        return remembered
    }

    static func forget(peer: NodeID, in database: Database) throws {
        try database.execute(sql: "DELETE FROM peer WHERE node = ?", arguments: [Data(peer.bytes)])
    }

    static func save(_ peer: KnownPeer, in database: Database) throws {
        let endpoints = peer.endpoints.prefix(StateLimits.endpointsPerPeerMax).map(\.description)
        try database.execute(
            sql: "INSERT OR REPLACE INTO peer (node, name, endpoints, last_seen_unix_s) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(peer.node.bytes), peer.name.string, endpoints.joined(separator: " "),
                peer.lastSeenUnixSeconds,
            ])
        try database.execute(
            sql: """
                DELETE FROM peer WHERE node NOT IN
                    (SELECT node FROM peer ORDER BY last_seen_unix_s DESC, node LIMIT ?)
                """, arguments: [StateLimits.knownPeersMax])
    }

    static func save(_ preference: PeerPreference, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO preference (node, gain_db, muted, blocked, pan, priority, change)
                VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(change), 0) + 1 FROM preference))
                """,
            arguments: [
                Data(preference.node.bytes), preference.gainDecibels, preference.isMuted, preference.isBlocked,
                preference.pan, preference.hasPriority,
            ])
        try database.execute(
            sql: """
                DELETE FROM preference WHERE node NOT IN
                    (SELECT node FROM preference ORDER BY change DESC LIMIT ?)
                """, arguments: [StateLimits.preferencesMax])
    }

    static func save(_ entry: [UInt8], of channel: ChannelID, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO channel (id, entry) VALUES (?, ?)",
            arguments: [Data(channel.bytes), Data(entry)])
    }

    static func forget(_ channel: ChannelID, in database: Database) throws {
        try database.execute(sql: "DELETE FROM channel WHERE id = ?", arguments: [Data(channel.bytes)])
    }

    static func setHidden(_ isHidden: Bool, _ channel: ChannelID, in database: Database) throws {
        guard isHidden else {
            try database.execute(
                sql: "DELETE FROM hidden_channel WHERE id = ?", arguments: [Data(channel.bytes)])
            return
        }
        try database.execute(
            sql: "INSERT OR IGNORE INTO hidden_channel (id, has_code) VALUES (?, ?)",
            arguments: [Data(channel.bytes), channel.hasCode])
    }

    static func save(profile: [String: String], in database: Database) throws {
        for (field, words) in profile { try save(profilePrefix + field, words, in: database) }
    }

    /// What the names of settings begin with that are fields of the profile.
    private static let profilePrefix = "profile."

    static func save(_ setting: String, _ value: String, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", arguments: [setting, value])
    }

    private static func setting(_ name: String, _ database: Database) throws -> String? {
        try String.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    private static func peer(_ row: Row) -> KnownPeer? {
        guard let bytes = row["node"] as Data?, let node = NodeID([UInt8](bytes)),
            let name = row["name"] as String?, let endpoints = row["endpoints"] as String?,
            let lastSeen = row["last_seen_unix_s"] as Int64?
        else { return nil }
        return KnownPeer(
            node: node, name: SafeText(name),
            endpoints: endpoints.split(separator: " ").compactMap { Endpoint(String($0)) },
            lastSeenUnixSeconds: lastSeen)
    }

    private static func preference(_ row: Row) -> PeerPreference? {
        guard let bytes = row["node"] as Data?, let node = NodeID([UInt8](bytes)),
            let gain = row["gain_db"] as Double?, let isMuted = row["muted"] as Bool?,
            let isBlocked = row["blocked"] as Bool?, let hasPriority = row["priority"] as Bool?
        else { return nil }
        return PeerPreference(
            node: node, gainDecibels: gain, isMuted: isMuted, isBlocked: isBlocked, pan: row["pan"] as Int?,
            hasPriority: hasPriority)
    }
}
