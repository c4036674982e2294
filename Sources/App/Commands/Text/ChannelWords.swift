package import NodeRuntime
import Primitives

extension ChannelsDocument {
    /// The channel with the name that a person has typed, in small or capital letters; nil if the list has none.
    func channel(named name: String) -> Channel? {
        channels.first { $0.name.lowercased() == name.lowercased() }
    }
}

extension ChannelsDocument.Channel {
    /// How this node takes part in the channel: `listens and talks, -6.0 dB, left ear`.
    var manner: String {
        let taking = [listens ? "listens" : nil, talks ? "talks" : nil].compactMap { $0 }
        return [
            taking.joined(separator: " and "), levelDb.map { "\(ChannelTable.level($0)) dB" },
            ear.map { $0 == EarWord.both.rawValue ? "both ears" : "\($0) ear" },
            programmeDimDb.map { "programme, \(ChannelTable.level(-$0)) dB while anybody talks" },
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

/// The written name of a channel with a code.
enum CodedName {
    private static let mark = JoinRequest.codeMark

    static func isMarked(_ name: String) -> Bool { name.lowercased().hasPrefix(mark) }

    static func unmarked(_ name: String) -> String { isMarked(name) ? String(name.dropFirst(mark.count)) : name }

    static func marked(_ name: String) -> String { isMarked(name) ? name : mark + name }
}

/// The output of `partyline channel create --code`, in 80 columns.
package enum ChannelCodeText {
    /// - Parameters:
    ///   - channel: the name of the channel, with its mark.
    ///   - code: the code that was chosen; nil if the person brought their own.
    ///   - others: the names of linked peers that have the channel with this code already.
    package static func lines(_ channel: String, code: TypedCode?, _ others: [String], paint: Paint) -> [String] {
        let name = Output.safe(channel)
        let head = Columns.sentence(
            "This node is on channel \(name)." + (code == nil ? "" : " Its code is shown this once:"), label: "")
        let names = Output.list(others)
        let shared = others.isEmpty ? [] : Columns.sentence(names, label: "  has it: ")
        return head + (code.map { InitText.code($0, paint: paint) } ?? [])
            + ["  the others   partyline join \(OptionEcho.word(channel))"] + shared
    }

    /// A warning for a person who has joined a channel while this node is on one of the same name with a code, or
    /// without one; nil if it is not, or if it only listens to the open one.
    package static func twin(of name: String, in document: ChannelsDocument) -> String? {
        let (marked, open) = (CodedName.marked(name), CodedName.unmarked(name))
        let joined = document.channels.filter(\.joined).map { $0.name.lowercased() }
        guard joined.contains(marked.lowercased()), joined.contains(open.lowercased()),
            document.channel(named: open)?.talks == true
        else { return nil }
        return "channel \(Output.safe(open)) is open: everybody may hear you there. "
            + "Only \(Output.safe(marked)) has a code"
    }

    /// Why nobody else is on a channel with a code that this node has joined; nil if somebody is, or it has no code.
    /// - Parameter linksUp: the number of linked peers.
    package static func unshared(_ channel: ChannelsDocument.Channel, linksUp: Int) -> String? {
        guard channel.hasCode, channel.sharedWith.isEmpty else { return nil }
        let name = Output.safe(channel.name)
        if linksUp == 0 { return "no other node is linked yet, so nobody has shown the code of channel \(name)" }
        guard channel.undecided.isEmpty else {
            let asked = Output.list(channel.undecided)
            return "not known yet whether anybody has channel \(name) with this code: no answer from \(asked)"
        }
        return "nobody here has channel \(name) with this code; each node is asked again after 30 s. "
            + "Another code: `partyline join \(OptionEcho.word(channel.name)) --replace`"
    }
}

/// The warnings after a person has let this node join a channel.
enum JoinedChannelText {
    static func warnings(of name: String, in document: ChannelsDocument) -> [String] {
        let twin = ChannelCodeText.twin(of: name, in: document)
        let mistyped = MistypedChannelText.warning(of: name, in: document)
        return [twin, mistyped].compactMap { $0 } + (document.warnings ?? []).map { Output.safe($0) }
    }
}

/// The warnings after `join` and `channel create`, if the person has perhaps meant another channel.
package enum MistypedChannelText {
    /// A warning if the channel is new, if nobody else is on it, or if another channel has a name that looks the same;
    /// else nil. A node that only talks there, such as one that feeds programme, is on it while it talks. A channel
    /// with a code has a warning of its own (`ChannelCodeText`).
    package static func warning(of name: String, in document: ChannelsDocument) -> String? {
        guard let (channel, others) = openChannel(name, in: document) else { return nil }
        if let warning = lookalike(of: name, in: document) { return warning }
        let hint = NearestWord.hint(for: channel.name, among: others)
        if document.isNew == true {
            return Output.safe("channel \(channel.name) is new here: no linked node has it yet\(hint)")
        }
        guard channel.members.isEmpty, channel.talking.isEmpty else { return nil }
        return Output.safe("nobody else is on channel \(channel.name)\(hint)")
    }

    /// The warning after a channel was created: if another channel has a name that looks the same or is similar; else
    /// nil.
    package static func created(_ name: String, in document: ChannelsDocument) -> String? {
        if let warning = lookalike(of: name, in: document) { return warning }
        guard let (channel, others) = openChannel(name, in: document) else { return nil }
        let hint = NearestWord.hint(for: channel.name, among: others)
        let delete = "`partyline channel delete \(OptionEcho.word(channel.name))` takes it back"
        return hint.isEmpty ? nil : Output.safe("channel \(channel.name) is new\(hint): \(delete)")
    }

    /// A warning if another channel has a name that looks the same; else nil.
    package static func lookalike(of name: String, in document: ChannelsDocument) -> String? {
        guard let (channel, others) = openChannel(name, in: document) else { return nil }
        let look = NameLook.of(SafeText(channel.name))
        guard let twin = others.first(where: { NameLook.of(SafeText($0)) == look }) else { return nil }
        let start = "channel \(channel.name) is " + (document.isNew == true ? "new, and is " : "")
        return Output.safe("\(start)not channel \(twin), though their names look alike")
    }

    /// The channel of this name, and the names of all others; nil if it has a code, or is not in the list.
    private static func openChannel(
        _ name: String, in document: ChannelsDocument
    ) -> (channel: ChannelsDocument.Channel, others: [String])? {
        guard let channel = document.channel(named: name), !channel.hasCode else { return nil }
        return (channel, document.channels.filter { !$0.hasCode && $0.id != channel.id && !$0.deleted }.map(\.name))
    }
}

/// The note after `part`: a channel that this node created stays in all lists until it is deleted.
package enum PartedChannelText {
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - document: the channels after the node has parted it.
    ///   - shortID: returns the short id of this node; nil if it is unknown. Only asked where it decides.
    /// - Returns: the command that deletes the channel; nil if somebody listens to it, or another node created it.
    package static func note(
        of name: String, in document: ChannelsDocument, shortID: () -> String?
    ) -> String? {
        guard let channel = document.channel(named: name), !channel.joined, !channel.deleted, channel.members.isEmpty,
            let creator = channel.creator, creator == shortID()
        else { return nil }
        return "nobody listens to channel \(Output.safe(channel.name)) any more; "
            + "`partyline channel delete \(OptionEcho.word(channel.name))` takes it out of all lists"
    }
}

/// The note after `channel delete`: the people on a channel stay there, and hear each other.
package enum ChannelDeletionText {
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - document: the channels before the deletion.
    /// - Returns: who is still on the channel; nil if nobody is.
    package static func note(of name: String, in document: ChannelsDocument) -> String? {
        guard let channel = document.channel(named: name) else { return nil }
        let names = (channel.joined ? ["this node"] : []) + channel.members
        guard !names.isEmpty else { return nil }
        let stay =
            names.count == 1 ? "1 node is still on it and stays" : "\(names.count) nodes are still on it and stay"
        let part = "`partyline part \(OptionEcho.word(channel.name))`"
        return "\(stay) there until \(part): \(Output.list(names))"
    }
}

/// The note after `channel create` and `channel rename`, if the name was that of another channel before.
package enum ReusedNameText {
    /// - Parameters:
    ///   - name: the name that is used again.
    ///   - present: the present name of the channel that is renamed; nil if a channel is created.
    ///   - document: the channels before that.
    /// - Returns: which channel had the name; nil if none had it, or if that channel gets it back.
    package static func note(
        of name: String, renaming present: String? = nil, in document: ChannelsDocument
    ) -> String? {
        let former = document.channels.first { channel in
            channel.formerNames?.contains { $0.lowercased() == name.lowercased() } == true
        }
        guard let former, former.name.lowercased() != present?.lowercased() else { return nil }
        return Output.safe(
            "channel \(former.name) was called \(name) before: a node that was on it, and is away now, comes back to "
                + "the new channel \(name)")
    }
}
