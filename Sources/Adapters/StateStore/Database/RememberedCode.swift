import Foundation
import GRDB
package import Primitives

/// The code of a channel, as the state folder keeps it: a key, from which the code can only be guessed.
package struct RememberedCode: Hashable, Sendable {
    /// Other meshes have other ids for a channel of the same name.
    package var channel: ChannelID
    /// The channel's name, as the person wrote it.
    package var name: String
    /// 32 bytes.
    package var codeKey: [UInt8]

    package init(channel: ChannelID, name: String, codeKey: [UInt8]) {
        self.channel = channel
        self.name = name
        self.codeKey = codeKey
    }
}

extension RememberedCode: CustomStringConvertible, CustomReflectable {
    /// Without the key.
    package var description: String { "the code of \(name) (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A change of the stored code of a channel that is joined or parted.
package enum ChannelCodeChange: Hashable, Sendable {
    /// The code is stored, in place of an earlier one.
    case keep(RememberedCode)
    case forget(ChannelID)
}

/// The codes of channels as rows of the database, of each mesh in which the node was: it may come back to one. A row
/// that does not parse is skipped.
enum ChannelCodeRows {
    private static let keyBytes = 32

    static func load(_ database: Database) throws -> [RememberedCode] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM channel_code ORDER BY number, id LIMIT ?",
            arguments: [StateLimits.channelCodesMax])
        return rows.compactMap { row in
            guard let id = row["id"] as Data?, let channel = ChannelID(bytes: [UInt8](id), hasCode: true),
                let name = row["name"] as String?, let key = row["code_key"] as Data?, key.count == keyBytes
            else { return nil }
            return RememberedCode(channel: channel, name: name, codeKey: [UInt8](key))
        }
    }

    /// Keeps a code. If there are too many, the codes of joined channels are deleted last, so `joined_channel` must be
    /// up to date. Two names that differ in case alone are of one channel, as in `ChannelName`: SQLite's own NOCASE
    /// knows only the letters of ASCII.
    static func save(_ code: RememberedCode, in database: Database) throws {
        let lowercase = DatabaseFunction.lowercase.name
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO channel_code (id, name, code_key, number)
                VALUES (?, ?, ?, (SELECT 1 + COALESCE(MAX(number), 0) FROM channel_code))
                """,
            arguments: [Data(code.channel.bytes), code.name, Data(code.codeKey)])
        try database.execute(
            sql: """
                DELETE FROM channel_code
                WHERE id NOT IN (
                    SELECT id FROM channel_code
                    ORDER BY (\(lowercase)(name) IN (SELECT \(lowercase)(name) FROM joined_channel)) DESC,
                        number DESC, id
                    LIMIT ?
                )
                """,
            arguments: [StateLimits.channelCodesMax])
    }

    static func forget(_ channel: ChannelID, in database: Database) throws {
        try database.execute(sql: "DELETE FROM channel_code WHERE id = ?", arguments: [Data(channel.bytes)])
    }
}
