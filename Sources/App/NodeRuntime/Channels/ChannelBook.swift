package import Channels
package import Primitives
package import StateStore

/// The names of the channels that this node has joined, and what is kept of them for the next start. Used on the node
/// loop only.
///
/// Core knows channels by their id alone; people know them by their name.
package struct ChannelBook {
    private let identify: (ChannelName) -> ChannelID
    private var names: [ChannelID: ChannelName] = [:]

    /// - Parameter identify: derives the id of a channel from its name.
    package init(_ identify: @escaping (ChannelName) -> ChannelID) { self.identify = identify }

    /// Returns the id of a channel, and keeps its name.
    package mutating func id(of name: ChannelName) -> ChannelID {
        let id = identify(name)
        // A channel keeps the form in which it was written last, for example with capital letters.
        names[id] = name
        return id
    }

    /// Returns the name of a joined channel; nil for another one.
    package func name(of id: ChannelID) -> ChannelName? { names[id] }

    /// Forgets the names of channels that are not in the list.
    package mutating func keep(_ list: ListeningList) { names = names.filter { list[$0.key] != nil } }

    /// The list at the start: `wanted`, or the channels of the last run if nothing is wanted, or `main`. A channel that
    /// was joined in the last run has its level, ear and manner again, unless the wish names others; also a channel
    /// that the wish names as it was called before its renaming. Left out are channels beyond the number that a node
    /// may have, and channels whose code this node does not have.
    /// - Parameters:
    ///   - holding: the channels whose code this node has.
    ///   - renamed: returns the id that a renamed channel has now; nil for another channel.
    package mutating func startList(
        wanted: [ChannelWish], remembered: [RememberedChannel], holding: [ChannelID],
        renamed: (ChannelID) -> ChannelID? = { _ in nil }
    ) -> ListeningList {
        let known = ChannelBook.named(remembered)
        var list = ListeningList()
        var chosen: [ChannelID] = []
        for wish in ChannelBook.wishes(wanted, known) {
            let id = id(of: wish.name)
            guard !id.hasCode || holding.contains(id) else { continue }
            let present = renamed(id)
            let former = known.first { $0.name == wish.name || identify($0.name) == present }?.channel
            try? list.join(wish.entry(id, former: former.map { ListeningEntry(id, $0) }))
            if former?.isChosen == true, list[id]?.mayTalk == true { chosen.append(id) }
        }
        try? list.talk(on: chosen)
        keep(list)
        return list
    }

    /// The channels that `startList` leaves out because this node does not have their code.
    package func withoutCode(
        wanted: [ChannelWish], remembered: [RememberedChannel], holding: [ChannelID]
    ) -> [ChannelName] {
        ChannelBook.wishes(wanted, ChannelBook.named(remembered)).map(\.name)
            .filter { $0.hasCode && !holding.contains(identify($0)) }
    }

    private typealias NamedChannel = (name: ChannelName, channel: RememberedChannel)

    private static func named(_ remembered: [RememberedChannel]) -> [NamedChannel] {
        remembered.compactMap { channel in (try? ChannelName(typed: channel.name)).map { ($0, channel) } }
    }

    private static func wishes(_ wanted: [ChannelWish], _ known: [NamedChannel]) -> [ChannelWish] {
        let wishes = wanted.isEmpty ? known.map { ChannelWish($0.name) } : wanted
        return wishes.isEmpty ? ChannelName("main").map { [ChannelWish($0)] } ?? [] : wishes
    }

    /// The list as it is kept for the next start.
    package func remembered(_ list: ListeningList) -> [RememberedChannel] {
        list.entries.compactMap { entry in
            guard let name = name(of: entry.channel) else { return nil }
            return RememberedChannel(
                name: name.description, levelTenths: entry.levelTenths, ear: entry.ear, listens: entry.isListened,
                talks: entry.mayTalk, isChosen: list.isChosen(entry.channel),
                programmeDimTenths: entry.programmeDimTenths)
        }
    }
}

extension ListeningEntry {
    fileprivate init(_ id: ChannelID, _ channel: RememberedChannel) {
        let manner: Manner = channel.listens ? (channel.talks ? .listenAndTalk : .listenOnly) : .talkOnly
        self.init(
            id, levelTenths: channel.levelTenths, ear: channel.ear, manner: manner,
            programmeDimTenths: channel.programmeDimTenths)
    }
}
