package import Channels
import Primitives

/// A crew file: the channels of a crew, and what each of its roles has. It is the same for all machines, so it holds
/// nothing that belongs to one of them, and no secret.
///
/// ```toml
/// [crew]                       # what holds for every role
/// mesh = "royal"
///
/// [[channel]]
/// name = "stage"
///
/// [role.lights]                # settings as in config.toml
/// talk = "latch"
/// channels = ["stage", { name = "lights", level = -6, ear = "left" }]
///
/// [[role.lights.key]]          # a talk key, as [[key]] in config.toml
/// name = "both"
/// channels = ["stage", "lights"]
/// ```
package struct CrewFile: Hashable, Sendable {
    /// The name of the crew, for people; empty if the file has none.
    package var name = ""
    /// In the order of the file.
    package var channels: [CrewChannel] = []
    package var roles: [CrewRole] = []

    /// - Parameter path: the name of the file in messages.
    /// - Throws: every mistake of the file, by line.
    package init(_ text: String, path: String) throws(ConfigurationMistakes) {
        var reading = CrewReading()
        reading.read(text, path: path)
        try reading.mistakes.check()
        self = reading.crew
    }

    init() {}

    /// - Parameter place: where the role was asked for.
    /// - Throws: `ConfigurationError` with the roles of the file if it has no role of this name.
    package func role(_ wanted: String, at place: ConfigurationError.Place) throws(ConfigurationError) -> CrewRole {
        if let role = roles.first(where: { $0.name == wanted }) { return role }
        let names = roles.map(\.name)
        let shown = SafeText(wanted, graphemesMax: 40, bytesMax: 160)
        throw ConfigurationError(
            place,
            "no role '\(shown)'\(NearestWord.hint(for: wanted, among: names)); the crew file has "
                + names.joined(separator: ", "))
    }
}

/// A channel of a crew.
package struct CrewChannel: Hashable, Sendable {
    package var name: ChannelName
    /// Whether the channel carries a programme: a role only listens to it unless the file says `talk-only`. Nil if the
    /// file leaves it open: then a start takes the value of the last run. `false` ends the programme.
    package var isProgramme: Bool?
}

/// A role of a crew: for example lights, or camera 2.
package struct CrewRole: Hashable, Sendable {
    package var name: String
    /// The settings and talk keys of the role, and those of the whole crew that the role does not change.
    package var settings = RunSettings()
    /// The channels of the role, in the order of the file.
    package var channels: [ChannelWish] = []
}

extension CrewFile {
    /// Warnings of parts that the author has probably meant otherwise, in the order of the file. A node runs with the
    /// file all the same.
    package var warnings: [ConfigurationError] {
        roles.flatMap { role in
            role.channels.isEmpty ? channelless(role) : unjoined(role) + silent(role) + unplayed(role)
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

    /// The keys of a role that are silent on a channel, because the role only listens there.
    private func silent(_ role: CrewRole) -> [ConfigurationError] {
        let listened = role.channels.filter { $0.manner == .listenOnly }
        return role.settings.keys.flatMap { key in
            listened.filter { key.channels.contains($0.name) }.map { wish -> ConfigurationError in
                let isProgramme = channels.contains { $0.name == wish.name && $0.isProgramme == true }
                return ConfigurationError(
                    key.place,
                    "the key '\(key.name)' is silent on channel '\(wish.name)', because the role '\(role.name)' only "
                        + "listens there" + (isProgramme ? ": the channel carries programme" : ""))
            }
        }
    }

    /// The channels that the second output of a role should play, and to which the role does not listen.
    private func unplayed(_ role: CrewRole) -> [ConfigurationError] {
        let listened = role.channels.filter { $0.manner != .talkOnly }.map(\.name)
        return role.settings.all(.output2Channel).compactMap { value -> ConfigurationError? in
            guard let name = try? ChannelName(typed: value.text), !listened.contains(name) else { return nil }
            return ConfigurationError(
                value.place,
                "'output2-channel' names channel '\(name)', to which the role '\(role.name)' does not listen, so "
                    + "output2 is silent there")
        }
    }
}
