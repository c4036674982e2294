package import Channels
package import Primitives

/// How a file or an option wants this node to take part in a channel. A nil value stays as it is; a new channel has
/// the standard value.
package struct ChannelWish: Hashable, Sendable {
    /// Whether the channel carries programme for this node.
    package enum Programme: Hashable, Sendable {
        case off
        /// It is lowered while anybody talks on another channel, by `dimTenths` of a decibel; nil leaves the dim.
        case on(dimTenths: Int?)
    }

    package var name: ChannelName
    /// The channel's level, in tenths of a decibel.
    package var levelTenths: Int?
    package var ear: Ear?
    package var manner: ListeningEntry.Manner?
    package var programme: Programme?

    package init(
        _ name: ChannelName, levelTenths: Int? = nil, ear: Ear? = nil, manner: ListeningEntry.Manner? = nil,
        programme: Programme? = nil
    ) {
        self.name = name
        self.levelTenths = levelTenths
        self.ear = ear
        self.manner = manner
        self.programme = programme
    }

    /// The entry of the channel in the list of this node.
    ///
    /// - Parameter former: its entry so far; nil if the node has not joined the channel.
    package func entry(_ id: ChannelID, former: ListeningEntry?) -> ListeningEntry {
        let dimTenths: Int? =
            switch programme {
            case nil: former?.programmeDimTenths
            case .off: nil
            case .on(let dimTenths): dimTenths ?? former?.programmeDimTenths ?? ListeningLimits.dimTenthsDefault
            }
        return ListeningEntry(
            id, levelTenths: levelTenths ?? former?.levelTenths ?? 0, ear: ear ?? former?.ear ?? .both,
            manner: manner ?? former?.manner ?? .listenAndTalk, programmeDimTenths: dimTenths)
    }

    /// The part of this wish that differs from `former`: the part that a file has changed. A value that the file no
    /// longer states becomes the standard value.
    package func changes(since former: ChannelWish) -> ChannelWish {
        ChannelWish(
            name, levelTenths: ChannelWish.change(from: former.levelTenths, to: levelTenths, standard: 0),
            ear: ChannelWish.change(from: former.ear, to: ear, standard: .both),
            manner: ChannelWish.change(from: former.manner, to: manner, standard: .listenAndTalk),
            programme: ChannelWish.change(from: former.programme, to: programme, standard: .off))
    }

    private static func change<Value: Equatable>(from former: Value?, to value: Value?, standard: Value) -> Value? {
        if let value { return value == former ? nil : value }
        return former == nil || former == standard ? nil : standard
    }

    /// The same wish for a channel under another name.
    func named(_ name: ChannelName) -> ChannelWish {
        var wish = self
        wish.name = name
        return wish
    }

    /// Whether the wish is for more than to be on the channel.
    package var isMoreThanJoining: Bool { levelTenths != nil || ear != nil || manner != nil || programme != nil }

    /// How the node takes part, for people: `listens and talks, -6 dB, left ear`.
    package var words: String { valueWords.compactMap { $0 }.joined(separator: ", ") }

    /// What this wish changes of the entry of its channel, for people: `-12 dB → 0 dB, both ears → left ear`; empty if
    /// it changes nothing.
    package func effect(on former: ListeningEntry) -> String {
        let after = ChannelWish(name, as: entry(former.channel, former: former))
        return zip(ChannelWish(name, as: former).valueWords, after.valueWords).filter { $0 != $1 }
            .map { "\($0 ?? ChannelWish.noProgramme) → \($1 ?? ChannelWish.noProgramme)" }.joined(separator: ", ")
    }

    private static let noProgramme = "no programme"

    /// A wish for an entry as it is.
    private init(_ name: ChannelName, as entry: ListeningEntry) {
        self.init(
            name, levelTenths: entry.levelTenths, ear: entry.ear, manner: entry.manner,
            programme: entry.programmeDimTenths.map { Programme.on(dimTenths: $0) } ?? Programme.off)
    }

    /// The manner, level, ear and programme, for people; nil for each that is left open, and for no programme.
    private var valueWords: [String?] {
        let taking =
            switch manner {
            case .listenOnly: "listens"
            case .talkOnly: "talks"
            case .listenAndTalk, nil: "listens and talks"
            }
        let ears: String? =
            switch ear {
            case .left: "left ear"
            case .right: "right ear"
            case .both: "both ears"
            case nil: nil
            }
        let level = levelTenths.map { tenths in
            (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10)" + (tenths % 10 == 0 ? "" : ".\(abs(tenths) % 10)") + " dB"
        }
        let programmeWords: String? = if case .on = programme { "programme" } else { nil }
        return [taking, level, ears, programmeWords]
    }
}
