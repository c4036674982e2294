import GRDB
package import Primitives

/// A channel that this node joined, as it is kept for the next start.
package struct RememberedChannel: Hashable, Sendable {
    /// As the person wrote it.
    package var name: String
    /// Its level here, in tenths of a decibel.
    package var levelTenths: Int
    package var ear: Ear
    package var listens: Bool
    package var talks: Bool
    /// A person chose to talk on it.
    package var isChosen: Bool
    /// By how much it is lowered while anybody talks, in tenths of a decibel; nil unless it carries programme.
    package var programmeDimTenths: Int?

    package init(
        name: String, levelTenths: Int, ear: Ear, listens: Bool, talks: Bool, isChosen: Bool,
        programmeDimTenths: Int? = nil
    ) {
        self.name = name
        self.levelTenths = levelTenths
        self.ear = ear
        self.listens = listens
        self.talks = talks
        self.isChosen = isChosen
        self.programmeDimTenths = programmeDimTenths
    }
}

/// The joined channels as rows of the database, in the order in which they were joined. A row that does not parse is
/// skipped.
enum JoinedChannelRows {
    static func load(_ database: Database) throws -> [RememberedChannel] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM joined_channel ORDER BY place LIMIT ?",
            arguments: [StateLimits.joinedChannelsMax])
        return rows.compactMap { row in
            guard let name = row["name"] as String?, let level = row["level_tenths"] as Int?,
                let ear = (row["ear"] as Int?).flatMap({ UInt8(exactly: $0) }).flatMap(Ear.init),
                let listens = row["listens"] as Bool?, let talks = row["talks"] as Bool?,
                let isChosen = row["chosen"] as Bool?
            else { return nil }
            return RememberedChannel(
                name: name, levelTenths: level, ear: ear, listens: listens, talks: talks, isChosen: isChosen,
                programmeDimTenths: row["programme_dim_tenths"] as Int?)
        }
    }

    /// Replaces all rows.
    static func save(_ channels: [RememberedChannel], in database: Database) throws {
        try database.execute(sql: "DELETE FROM joined_channel")
        for (place, channel) in channels.prefix(StateLimits.joinedChannelsMax).enumerated() {
            try database.execute(
                sql: """
                    INSERT INTO joined_channel
                        (place, name, level_tenths, ear, listens, talks, chosen, programme_dim_tenths)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    place, channel.name, channel.levelTenths, Int(channel.ear.rawValue), channel.listens,
                    channel.talks, channel.isChosen, channel.programmeDimTenths,
                ])
        }
    }
}
