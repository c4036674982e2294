import Channels

extension CrewFile {
    /// Warnings of parts that the author has probably meant otherwise, in the order of the file. A node runs with the
    /// file all the same.
    package var warnings: [ConfigurationError] {
        roles.flatMap { role in
            role.channels.isEmpty ? channelless(role) : unjoined(role)
        }
    }

    /// A mistyped `[[role.NAME.key]]` makes a role of its own, without channels.
    private func channelless(_ role: CrewRole) -> [ConfigurationError] {
        guard let key = role.settings.keys.first else { return [] }
        let others = roles.filter { !$0.channels.isEmpty }.map(\.name)
        let hint = NearestWord.hint(for: role.name, among: others)
        return [ConfigurationError(key.place, "the role '\(role.name)' has keys and no channels\(hint)")]
    }

    /// The keys of a role that speak on a channel which the role does not join.
    private func unjoined(_ role: CrewRole) -> [ConfigurationError] {
        let joined = role.channels.map(\.name)
        return role.settings.keys.flatMap { key in
            key.channels.filter { !joined.contains($0) }.map { channel in
                ConfigurationError(
                    key.place,
                    "the key '\(key.name)' speaks on channel '\(channel)', which is not among the channels of the role "
                        + "'\(role.name)', so that role hears nobody there")
            }
        }
    }
}
