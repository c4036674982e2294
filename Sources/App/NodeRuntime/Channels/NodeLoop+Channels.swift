import Channels
import ControlPlane
import Mesh
import Node
import Primitives
import StateStore

/// The orders of people about the channels of this node. Everything here runs on the node loop.
extension NodeLoop {
    /// Joins a channel, or changes how this node takes part in it. A value that the wish leaves open stays as it is. A
    /// channel without an entry in the directory gets one. A channel with a code needs one that is kept.
    ///
    /// - Returns: sentences about the talk key (`prepareFreeKey`).
    /// - Throws: `notNow` with the reason.
    func join(_ wish: ChannelWish) throws(ControlFailure) -> [String] {
        let id = core.directory.id(of: wish.name)
        guard id.hasCode, core.listening.list[id] == nil else { return try listen(wish) }
        guard let code = code(of: id) else { throw ControlFailure(.notNow, NodeLoop.missingCode(of: wish.name)) }
        return try beginJoin(wish, with: code, replaces: false).notes
    }

    /// Joins a channel without a code, or with one that the node holds.
    ///
    /// - Parameter code: a new code, which is stored; nil if the code stays.
    /// - Returns: as `join`.
    /// - Throws: `notNow` with the reason.
    func listen(_ wish: ChannelWish, keeping code: RememberedCode? = nil) throws(ControlFailure) -> [String] {
        let id = core.directory.id(of: wish.name)
        if core.listening.list[id] == nil { try checkDistinct(wish.name) }
        let name = presentName(of: id) ?? wish.name
        _ = channels.id(of: name)
        let notes = try order(.join(wish.entry(id, former: core.listening.list[id])), with: code.map { .keep($0) })
        // A refusal leaves the channel without an entry. Its members hear each other all the same.
        if !id.hasCode, core.directory.table[id]?.isLive != true { try? perform(.create(name)) }
        return notes
    }

    /// The name under which people know a channel: as its entry has it, or as this node joined it; nil if there is
    /// none. A person may write it with other small and capital letters.
    func presentName(of channel: ChannelID) -> ChannelName? {
        guard let entry = core.directory.table[channel], entry.isLive, let name = ChannelName(entry.name.string) else {
            return channels.name(of: channel)
        }
        return name
    }

    /// A person who leaves the mark away could speak to everybody instead of the few with the code.
    ///
    /// - Throws: `notNow` if this node is on the channel with a code of this name, and nobody has the open one.
    private func checkDistinct(_ name: ChannelName) throws(ControlFailure) {
        guard !name.hasCode, core.directory.table[core.directory.id(of: name)]?.isLive != true,
            let coded = ChannelName(name.text.string, hasCode: true),
            core.listening.list[core.directory.id(of: coded)] != nil
        else { return }
        throw ControlFailure(
            .notNow,
            "this node is on \(coded), which has a code; `partyline channel create` makes an open channel \(name)")
    }

    /// A person who types the former name of a renamed channel would make a channel of that name anew, on which nobody
    /// is. A node that has not followed the renaming would also end its warning of it.
    ///
    /// - Throws: `notNow` with the present name if the channel was renamed.
    func checkNotRenamed(_ name: ChannelName) throws(ControlFailure) {
        let renamed = core.directory.namedSuccessor(of: core.directory.id(of: name))
        guard let present = renamed?.name.string else { return }
        throw ControlFailure(
            .notNow,
            "channel \(name) is called \(present) now: `partyline join \(ShellWord.quoted(present))` goes there, "
                + "`partyline channel create \(ShellWord.quoted("\(name)"))` makes a new channel \(name)")
    }

    /// The id of a channel that the directory has, or on which this node or a linked peer is.
    ///
    /// - Throws: `notNow` with a similar name if there is no such channel.
    func existingChannel(_ name: ChannelName) throws(ControlFailure) -> ChannelID {
        let id = core.directory.id(of: name)
        if exists(id) { return id }
        let known = core.directory.table.entries.filter(\.isLive).map(\.name.string)
        let joined = names(of: core.listening.list.entries.map(\.channel))
        let hint = NearestWord.hint(for: name.description, among: known + joined)
        throw ControlFailure(.notNow, "there is no channel \(name)\(hint); `partyline channels` lists them")
    }

    /// Whether the directory has a channel, or this node or a linked peer is on it.
    func exists(_ id: ChannelID) -> Bool {
        core.directory.table[id]?.isLive == true || core.listening.list[id] != nil
            || peers().contains { $0.state.isLinked && $0.channels.contains(id) }
    }

    /// Warnings of open channels that a person may take for channels with a code, of talk keys that speak on channels
    /// which this node has not joined, of those that speak nowhere, and of channels that the second output cannot play.
    /// A renamed channel counts under its present name, whichever of its names the files have.
    var channelWarnings: [String] {
        func names(_ channels: [ChannelID]) -> [ChannelName] { channels.compactMap(presentName(of:)).map(present) }
        let list = core.listening.list
        let joined = names(list.entries.map(\.channel))
        let (spoken, played) = (spokenByKeys, playedAtSecond)
        let existing = (spoken.flatMap(\.channels) + played).filter { exists(core.directory.id(of: $0)) }
        let listed = core.directory.table.entries.filter(\.isLive).compactMap { ChannelName($0.name.string) }
        let known = existing + listed
        return OpenTwins.warnings(joined: joined, keys: spoken)
            + UnjoinedKeyChannels.warnings(joined: joined, known: known, keys: spoken) + silencedKeyWarnings
            + UnplayedChannels.warnings(listened: names(list.listened), known: known, played: played)
    }

    /// The talk keys, by name, with the channels that they name, each under its present name.
    private var spokenByKeys: [(name: String, channels: [ChannelName])] {
        // A key may have a channel by its former name and by its present one.
        keys.entries.map { (name: $0.name, channels: $0.channels.map(present).eachOnce) }
    }

    /// The channels that the second output plays; empty if it plays all, or if there is none.
    var playedAtSecond: [ChannelName] {
        zip(secondChannels, options.second?.channels ?? []).map { presentName(of: $0) ?? $1 }.eachOnce
    }

    /// A warning if the second output should play a channel to which this node does not listen. A person who has just
    /// parted it may believe that the loudspeaker goes on.
    func warningsOfSecondOutput(on name: ChannelName) -> [String] {
        let channel = core.directory.id(of: name)
        guard secondChannels.contains(channel), core.listening.list[channel]?.isListened != true else { return [] }
        let shown = presentName(of: channel) ?? name
        return UnplayedChannels.warnings(listened: [], known: [shown], played: [shown])
    }

    /// Warnings of the talk keys that speak on an open channel, while this node is on the one of that name with a code.
    /// - Parameter name: the name of either channel.
    func warningsOfOpenTwin(of name: ChannelName) -> [String] {
        guard let open = ChannelName(name.text.string), let coded = ChannelName(name.text.string, hasCode: true),
            core.listening.list[core.directory.id(of: coded)] != nil,
            core.listening.list[core.directory.id(of: open)]?.mayTalk != false
        else { return [] }
        return OpenTwins.warnings(joined: [coded], keys: spokenByKeys)
    }

    /// Warnings of the talk keys that speak to nobody, because this node only listens to all channels that they name.
    var silencedKeyWarnings: [String] {
        core.keys.targets(core.listening.list).enumerated().flatMap { key, targets -> [String] in
            let entry = keys.entries[key]
            guard core.keys[key] != nil, targets.isEmpty, entry.peers.isEmpty else { return [] }
            return silentChannels(ofKey: key).flatMap { SilencedKeys.warnings(on: $0, of: [entry.name]) }
        }
    }

    /// Warnings of the talk keys that name a channel which this node has not joined, or to which it only listens; and
    /// of a channel on which it may talk and no key speaks. A person who has just changed that may believe
    /// that the keys have changed too. A channel that carries programme here needs no key.
    func warningsOfKeys(on name: ChannelName) -> [String] {
        let channel = core.directory.id(of: name)
        let naming = keys.entries.indices.filter { core.keys[$0]?.channels.contains(channel) == true }
            .map { keys.entries[$0].name }
        let shown = presentName(of: channel) ?? name
        guard let entry = core.listening.list[channel] else {
            let joined = core.listening.list.entries.map(\.channel).compactMap(presentName(of:))
            return UnjoinedKeyChannels.warnings(
                joined: joined, known: [shown], keys: naming.map { (name: $0, channels: [shown]) })
        }
        guard entry.mayTalk else { return SilencedKeys.warnings(on: "\(shown)", of: naming) }
        let list = core.listening.list
        let isSpokenOn = core.keys.targets(list).contains { $0.channels.contains(channel) }
        guard !isSpokenOn, entry.programmeDimTenths == nil else { return [] }
        return [KeylessChannels.note(on: "\(shown)", spokenOn: hasFreeKey ? names(of: list.talked) : nil)]
    }

    /// A sentence about a joined channel that the next start does not join, because the options or the files list the
    /// channels, or because the node is a guest. Empty for any other channel.
    func warningsOfNextStart(_ name: ChannelName) -> [String] {
        let (channel, list, isGuest) = (core.directory.id(of: name), core.listening.list, parts.state.isGuest)
        guard list[channel] != nil, isGuest || !options.channels.isEmpty else { return [] }
        var book = channels
        let directory = core.directory
        let next = book.startList(
            wanted: options.channels, remembered: isGuest ? [] : channels.remembered(list),
            holding: channelCodes.map(\.channel), renamed: directory.successor(of:))
        guard next[channel] == nil else { return [] }
        let reason = options.channels.isEmpty ? "a guest keeps nothing" : "its options or files name its channels"
        return ["this node is on channel \(presentName(of: channel) ?? name) until its next start: \(reason)"]
    }

    /// Parts a channel. A person's command also forgets its code, even of a channel that is not joined in this run.
    ///
    /// - Parameter forgetsCode: false for a reload. A code that a person typed is in no file, and the channel may come
    ///   back into the file.
    /// - Returns: as `join`.
    /// - Throws: `notNow` if the channel is not joined, and no code of it is kept.
    func part(_ name: ChannelName, forgetsCode: Bool = true) throws(ControlFailure) -> [String] {
        let id = core.directory.id(of: name)
        let forgetting = id.hasCode && forgetsCode ? ChannelCodeChange.forget(id) : nil
        var notes: [String] = []
        if core.listening.list[id] != nil || code(of: id) == nil {
            notes = try order(.part(id), with: forgetting, otherwise: "this node is not on channel \(name)")
        } else {
            keepChannels(with: forgetting)
        }
        if id.hasCode { dropCode(of: id, forgets: forgetsCode) }
        return notes
    }

    /// - Throws: `notNow` if this node does not listen to the channel.
    func setLevel(of name: ChannelName, decibels: Double) throws(ControlFailure) {
        _ = try order(
            .setLevel(core.directory.id(of: name), tenths: NodeLoop.tenths(decibels)),
            otherwise: "this node does not listen to channel \(name)")
    }

    /// Talks on these channels from now on; on the first one on which this node may talk if there are none.
    ///
    /// - Throws: `notNow` if this node may not talk on one of them.
    func talk(on names: [ChannelName]) throws(ControlFailure) {
        guard hasFreeKey else {
            throw ControlFailure(.notNow, "each talk key has targets of its own; `partyline keys` lists them")
        }
        var ids: [ChannelID] = []
        for name in names { ids.append(core.directory.id(of: name)) }
        let place = names.count == 1 ? "channel \(names[0])" : "one of these channels"
        _ = try order(.talk(on: ids), otherwise: "this node may not talk on \(place): it is not there, or only listens")
    }

    /// Carries out an order, and keeps the channels for the next start.
    ///
    /// - Parameters:
    ///   - code: the change of the channel's stored code.
    ///   - notJoined: what is wrong if the node has not joined the channel, or not in that manner.
    /// - Returns: sentences about the talk key.
    private func order(
        _ command: ListeningCommand, with code: ChannelCodeChange? = nil,
        otherwise notJoined: String = "this node is not on that channel"
    ) throws(ControlFailure) -> [String] {
        let notes = prepareFreeKey(for: command)
        var refusal: ListeningRefusal?
        change { now in
            do throws(ListeningRefusal) {
                try core.perform(command, now: now)
            } catch {
                refusal = error
            }
        }
        if let refusal {
            channels.keep(core.listening.list)
            switch refusal {
            case .listenedFull:
                let most = ListeningLimits.listenedMax
                throw ControlFailure(.notNow, "a node listens to \(most) channels at most; part one first")
            case .talkOnlyFull:
                let most = ListeningLimits.talkOnlyMax
                throw ControlFailure(.notNow, "a node only talks on \(most) channels at most; part one first")
            case .notJoined: throw ControlFailure(.notNow, "\(notJoined); `partyline channels` lists its channels")
            }
        }
        keepChannels(with: code)
        return notes
    }

    /// Keeps the channels of this node for the next start, with the change of a channel's stored code.
    func keepChannels(with code: ChannelCodeChange? = nil) {
        channels.keep(core.listening.list)
        freelySpoken = core.listening.list.talked
        parts.state.database.remember(joined: channels.remembered(core.listening.list), with: code)
    }

    /// The name of a channel as people know it; its id if it has none.
    func channelName(of channel: ChannelID) -> String { knownName(of: channel) ?? channel.text }

    /// The name of a channel as people know it; nil if this node knows none.
    func knownName(of channel: ChannelID) -> String? {
        core.directory.table[channel]?.name.string ?? channels.name(of: channel)?.description
            ?? code(of: channel)?.name
    }

    /// The names of joined channels as people know them: an entry may have another spelling than this node.
    func names(of channels: [ChannelID]) -> [String] { channels.compactMap(knownName(of:)) }

    static func tenths(_ decibels: Double) -> Int { Int((decibels * 10).rounded()) }
}
