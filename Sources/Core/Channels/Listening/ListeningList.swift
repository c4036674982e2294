package import Primitives

/// The channels in which a node takes part, in the order in which it joined them, and those on which it talks now.
package struct ListeningList: Hashable, Sendable {
    package private(set) var entries: [ListeningEntry] = []
    /// The channels that a person chose to talk on; empty if nobody chose.
    private var chosen: [ChannelID] = []

    package init() {}

    package subscript(channel: ChannelID) -> ListeningEntry? { entries.first { $0.channel == channel } }

    /// The channels to which the node listens, as peers are told.
    package var listened: [ChannelID] { entries.filter(\.isListened).map(\.channel) }

    /// The channels on which the node may talk and to which it does not listen, as peers are told.
    package var talkedOnly: [ChannelID] { entries.filter { !$0.isListened }.map(\.channel) }

    /// The channels on which the node talks: the chosen ones, or else the first one on which it may talk.
    package var talked: [ChannelID] {
        let possible = entries.filter(\.mayTalk).map(\.channel)
        let wanted = possible.filter { chosen.contains($0) }
        return wanted.isEmpty ? Array(possible.prefix(1)) : wanted
    }

    /// Whether a person chose to talk on the channel.
    package func isChosen(_ channel: ChannelID) -> Bool { chosen.contains(channel) }

    /// Adds a channel at the end, or changes the entry of a channel that is in the list.
    /// - Throws: `listenedFull` or `talkOnlyFull` if the list has no room for another channel of this manner.
    package mutating func join(_ entry: ListeningEntry) throws(ListeningRefusal) {
        let others = entries.filter { $0.channel != entry.channel && $0.isListened == entry.isListened }
        let most = entry.isListened ? ListeningLimits.listenedMax : ListeningLimits.talkOnlyMax
        guard others.count < most else {
            throw entry.isListened ? ListeningRefusal.listenedFull : ListeningRefusal.talkOnlyFull
        }
        if let index = entries.firstIndex(where: { $0.channel == entry.channel }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    /// - Throws: `notJoined` if the channel is not in the list.
    package mutating func part(_ channel: ChannelID) throws(ListeningRefusal) {
        guard self[channel] != nil else { throw .notJoined }
        entries.removeAll { $0.channel == channel }
        chosen.removeAll { $0 == channel }
    }

    /// Takes part in `successor` as before in `channel`, at the same place of the list. If `successor` is in the list
    /// already, it keeps its own entry. A choice to talk on `channel` becomes one to talk on `successor`, if the node
    /// may talk there.
    /// - Throws: `notJoined` if the channel is not in the list.
    package mutating func follow(_ channel: ChannelID, to successor: ChannelID) throws(ListeningRefusal) {
        guard let index = entries.firstIndex(where: { $0.channel == channel }) else { throw .notJoined }
        if self[successor] == nil {
            entries[index].channel = successor
        } else {
            entries.remove(at: index)
        }
        guard isChosen(channel) else { return }
        chosen.removeAll { $0 == channel || $0 == successor }
        if self[successor]?.mayTalk == true { chosen.append(successor) }
    }

    /// Sets the level of a channel, in tenths of a decibel.
    /// - Throws: `notJoined` if the node does not listen to the channel.
    package mutating func setLevel(_ channel: ChannelID, tenths: Int) throws(ListeningRefusal) {
        guard let entry = self[channel], entry.isListened else { throw .notJoined }
        try join(
            ListeningEntry(
                channel, levelTenths: tenths, ear: entry.ear, manner: entry.manner,
                programmeDimTenths: entry.programmeDimTenths))
    }

    /// Talks on these channels from now on; on the first possible one if the list is empty.
    /// - Throws: `notJoined` if the node may not talk on one of them.
    package mutating func talk(on channels: [ChannelID]) throws(ListeningRefusal) {
        guard channels.allSatisfy({ self[$0]?.mayTalk == true }) else { throw .notJoined }
        chosen = channels
    }
}

/// The reason why an order about channels has no effect.
package enum ListeningRefusal: Error, Hashable, Sendable {
    /// The list already holds `ListeningLimits.listenedMax` channels to listen to.
    case listenedFull
    /// The list already holds `ListeningLimits.talkOnlyMax` channels only to talk on.
    case talkOnlyFull
    /// The node has not joined the channel, or not for what the order wants: it only listens there, or only talks.
    case notJoined
}

/// How a node takes part in a channel. Peers are told the channel, and whether the node listens there or may only talk
/// there; not the rest.
package struct ListeningEntry: Hashable, Sendable {
    package enum Manner: UInt8, CaseIterable, Hashable, Sendable {
        case listenAndTalk
        case listenOnly
        case talkOnly
    }

    package var channel: ChannelID
    /// Tenths of a decibel, within `ListeningLimits.levelTenths`; 0 leaves voices as they are.
    package var levelTenths: Int
    package var ear: Ear
    package var manner: Manner
    /// For a channel that carries programme: by how much it is lowered while anybody talks, in tenths of a decibel,
    /// within `ListeningLimits.dimTenths`. Nil for a channel that people talk on.
    package var programmeDimTenths: Int?

    /// A level or dim beyond the limits becomes the nearer limit.
    package init(
        _ channel: ChannelID, levelTenths: Int = 0, ear: Ear = .both, manner: Manner = .listenAndTalk,
        programmeDimTenths: Int? = nil
    ) {
        self.channel = channel
        let limits = ListeningLimits.levelTenths
        self.levelTenths = min(limits.upperBound, max(limits.lowerBound, levelTenths))
        self.ear = ear
        self.manner = manner
        let dims = ListeningLimits.dimTenths
        self.programmeDimTenths = programmeDimTenths.map { min(dims.upperBound, max(dims.lowerBound, $0)) }
    }

    package var isListened: Bool { manner != .talkOnly }
    package var mayTalk: Bool { manner != .listenOnly }
    package var sound: LineSetting {
        LineSetting(levelTenths: levelTenths, ear: ear, programmeDimTenths: programmeDimTenths)
    }
}

/// How a line sounds: a line is the place of one channel at the output.
package struct LineSetting: Hashable, Sendable {
    /// Tenths of a decibel.
    package var levelTenths: Int
    package var ear: Ear
    /// As in `ListeningEntry`.
    package var programmeDimTenths: Int?

    package init(levelTenths: Int, ear: Ear, programmeDimTenths: Int? = nil) {
        self.levelTenths = levelTenths
        self.ear = ear
        self.programmeDimTenths = programmeDimTenths
    }
}
