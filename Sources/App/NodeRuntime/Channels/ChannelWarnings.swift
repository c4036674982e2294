package import Channels
package import Primitives

/// Warnings of talk keys that speak on channels which the node has not joined. Such a key is no mistake: the listeners
/// of the channel hear it. But the person hears no answer, and a channel that is not known is perhaps mistyped.
package enum UnjoinedKeyChannels {
    /// - Parameters:
    ///   - joined: the channels of this node.
    ///   - known: the names of the channels that exist, besides those of this node.
    ///   - keys: the talk keys of this node, by name, with the channels on which they speak.
    /// - Returns: a sentence for each channel of a key, with the remedy.
    package static func warnings(
        joined: [ChannelName], known: [ChannelName], keys: [(name: String, channels: [ChannelName])]
    ) -> [String] {
        let words = AbsentChannel(lack: "which this node has not joined, so you hear nobody there", place: "the file")
        return keys.flatMap { key in
            key.channels.filter { !joined.contains($0) && !hasTwin($0, among: joined) }.map { channel in
                words.warning("talk key '\(key.name)' speaks on", channel, known: known, similar: joined + known)
            }
        }
    }

    /// Whether the node is on the channel of the same name with a code: `OpenTwins` warns of that.
    private static func hasTwin(_ channel: ChannelName, among joined: [ChannelName]) -> Bool {
        !channel.hasCode && joined.contains { $0.hasCode && ChannelName($0.text.string) == channel }
    }
}

/// Warnings of channels that the second output should play, and to which this node does not listen. They are silent
/// there, and nothing else shows it.
package enum UnplayedChannels {
    /// - Parameters:
    ///   - listened: the channels to which this node listens.
    ///   - known: the names of the channels that exist, besides those.
    ///   - played: the channels of the second output.
    /// - Returns: a sentence for each channel, with the remedy.
    package static func warnings(
        listened: [ChannelName], known: [ChannelName], played: [ChannelName]
    ) -> [String] {
        let words = AbsentChannel(
            lack: "to which this node does not listen, so output2 is silent there", flags: " --listen-and-talk",
            place: "the file or the options")
        return played.filter { !listened.contains($0) }.map { channel in
            words.warning("'output2-channel' names", channel, known: known, similar: listened + known)
        }
    }
}

/// The words about a channel that the files or the options name, and that is absent here.
private struct AbsentChannel {
    /// What is wrong if the channel exists, and what comes of it.
    let lack: String
    /// What the command that ends this needs after the name of the channel.
    var flags = ""
    /// Where the name can be corrected.
    let place: String

    /// - Parameters:
    ///   - start: what names the channel.
    ///   - known: the names of the channels that exist.
    ///   - similar: names that a person may have meant.
    func warning(
        _ start: String, _ channel: ChannelName, known: [ChannelName], similar: [ChannelName]
    ) -> String {
        let join = "partyline join \(ShellWord.quoted("\(channel)"))"
        guard !channel.hasCode, !known.contains(channel) else {
            return "\(start) channel \(channel), \(lack): `\(join)\(flags)`, "
                + "or name it among the channels in \(place)"
        }
        let hint = NearestWord.hint(for: "\(channel)", among: similar.map { "\($0)" })
        return "\(start) channel \(channel), which is not known here\(hint): correct the name in \(place), "
            + "or make the channel by `\(join)`"
    }
}

/// Warnings of open channels that have the name of a channel with a code on which this node is. A person who leaves the
/// mark `code:` away in a file speaks to everybody there.
package enum OpenTwins {
    /// - Parameters:
    ///   - joined: the channels of this node.
    ///   - keys: its talk keys, by name, with the channels on which they speak.
    /// - Returns: a sentence for each open channel, and for each key that speaks on one.
    package static func warnings(
        joined: [ChannelName], keys: [(name: String, channels: [ChannelName])]
    ) -> [String] {
        joined.filter(\.hasCode).flatMap { coded -> [String] in
            guard let open = ChannelName(coded.text.string) else { return [] }
            let speaking = keys.filter { $0.channels.contains(open) }
            return (joined.contains(open) ? ["this node is on \(coded) and on the open channel \(open)"] : [])
                + speaking.map { "talk key '\($0.name)' speaks on the open channel \(open), and not on \(coded)" }
        }
    }
}

/// Warnings of talk keys that are silent on a channel, because this node only listens there.
package enum SilencedKeys {
    /// - Parameters:
    ///   - channel: the name of a channel to which this node only listens.
    ///   - keys: the names of the talk keys that name the channel.
    /// - Returns: a sentence for each key, with the remedy.
    package static func warnings(on channel: String, of keys: [String]) -> [String] {
        keys.map { key in
            "talk key '\(key)' is silent on channel \(channel), because this node only listens there: "
                + remedy(on: channel)
        }
    }

    /// The command with which the keys speak on a channel, and its effect.
    static func remedy(on channel: String) -> String {
        "`partyline join \(ShellWord.quoted(channel)) --listen-and-talk` lets it speak"
    }
}

/// Names in one sentence. A longer list would be cut where it is shown.
private let namesMax = 5

/// The note after a person has joined a channel, if they may talk there and no talk key speaks there.
package enum KeylessChannels {
    /// - Parameters:
    ///   - channel: the name of the joined channel.
    ///   - spokenOn: the channels that a person chooses by `talk-on`, as they are now; nil if each talk key has targets
    ///     of its own.
    /// - Returns: a sentence with the remedy.
    package static func note(on channel: String, spokenOn: [String]?) -> String {
        let start = "no talk key speaks on channel \(channel)"
        guard let spokenOn else {
            return "\(start), because each has targets of its own: name the channel at one of them in the file, "
                + "then `partyline reload`"
        }
        func command(_ names: [String]) -> String {
            "`partyline talk-on \(names.map(ShellWord.quoted).joined(separator: " "))`"
        }
        guard !spokenOn.isEmpty else { return "\(start): \(command([channel])) lets one speak there" }
        let only = "\(start): \(command([channel])) speaks only there"
        guard spokenOn.count <= namesMax else { return "\(only); name the present channels too to keep them" }
        return "\(only), \(command(spokenOn + [channel])) there too"
    }
}

/// The note of a node that is alone on its channels, as a newcomer may be whose file or options name none.
package enum LonelyChannels {
    /// - Parameters:
    ///   - own: the channels of this node.
    ///   - peers: the channels of each linked peer that is a person.
    ///   - feeds: the channels of each linked node that feeds programme. No person is there, so the remedy never
    ///     names them.
    ///   - name: returns the name of an open channel; nil if it is not known, or if the person does not want to see it.
    /// - Returns: a sentence with the remedy, which is the channel with the most peers; nil if a peer is on one of the
    ///   own channels, or if no other one has a name.
    package static func note(
        own: [ChannelID], peers: [Set<ChannelID>], feeds: [Set<ChannelID>] = [],
        nameOf name: (ChannelID) -> String?
    ) -> String? {
        guard (peers + feeds).allSatisfy({ $0.isDisjoint(with: own) }) else { return nil }
        var members: [String: Int] = [:]
        for known in peers.joined().compactMap(name) { members[known, default: 0] += 1 }
        let names = members.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        guard let first = names.first else { return nil }
        let more = names.count <= namesMax ? "" : " and \(names.count - namesMax) more"
        return "nobody else is on the channels of this node; the others are on "
            + "\(names.prefix(namesMax).joined(separator: ", "))\(more): `partyline join \(ShellWord.quoted(first))`"
    }
}

/// Sentences about deleted channels on which this node is. It hears only nodes that are on them still; a newcomer finds
/// them in no list.
package enum DeletedChannels {
    /// - Parameters:
    ///   - name: the name of a deleted channel that this node has joined.
    ///   - isRenamed: whether it was renamed and not deleted.
    ///   - newName: the name of the channel that it was renamed to, which this node does not follow; nil if this node
    ///     knows none.
    ///   - isOnNew: whether this node is on that channel too.
    /// - Returns: a sentence with the remedy.
    package static func warning(
        of name: String, isRenamed: Bool, to newName: String? = nil, isOnNew: Bool = false
    ) -> String {
        let part = "`partyline part \(ShellWord.quoted(name))`"
        guard let newName else {
            guard !isRenamed else {
                return "channel \(name) was renamed, the new channel is not known here, and this node is still on the "
                    + "old one: `partyline channels` lists the others, \(part) leaves it"
            }
            return "channel \(name) was deleted, and this node is still on it: \(part) leaves it, "
                + "`partyline channel create \(ShellWord.quoted(name))` makes it anew"
        }
        let join = isOnNew ? "" : "`partyline join \(ShellWord.quoted(newName))` goes there, "
        return "channel \(name) was renamed to \(newName) by a node that is not known here as its creator, "
            + "so this node stays on \(name): \(join)\(part) leaves the old channel"
    }
}
