package import Channels
package import Primitives
import Voice

/// The talk keys as people know them: their names, where they are on the terminal, and what their tables say. Used on
/// the node loop only.
///
/// `TalkSwitch` knows which of them are down, and `VoiceNode` to whom they speak.
package struct KeyBook {
    package struct Entry: Hashable, Sendable {
        package var name: String
        package var mode: TalkMode
        /// The letter or digit of the terminal; nil for a key that was made for one peer.
        package var terminalKey: Character?
        /// The peers of the key as a person wrote them.
        package var peers: [String]
        /// The channels of the key as a person wrote them; a channel may be unknown to the directory.
        package var channels: [ChannelName]
        /// The peer for which the key was made; nil for a key of the configuration.
        package var privatePeer: NodeID?
        /// Whether the key was made for replies.
        package var isMadeForReply = false

        /// Whether the key was made while the node runs.
        package var isMade: Bool { privatePeer != nil || isMadeForReply }
    }

    /// The name of the only key of a node without tables.
    package static let onlyName = "talk"
    /// The name of the key that is made for replies.
    package static let replyName = "@reply"

    /// By key.
    package private(set) var entries: [Entry]
    /// To whom the keys of the configuration speak, without their peers, whom only the mesh knows; nil for a key that
    /// speaks on the chosen channels.
    private let own: [KeyTargets?]

    /// The keys of the configuration; one key that speaks on the chosen channels if it has none.
    /// - Parameters:
    ///   - mode: the mode of a key whose table names none.
    ///   - identify: derives the id of a channel from its name.
    package init(_ tables: [KeyTable], mode: TalkMode, identify: (ChannelName) -> ChannelID) {
        guard !tables.isEmpty else {
            entries = [Entry(name: KeyBook.onlyName, mode: mode, terminalKey: "1", peers: [], channels: [])]
            own = [nil]
            return
        }
        entries = tables.enumerated().map { index, table in
            Entry(
                name: table.name, mode: table.mode(with: mode), terminalKey: table.letter(at: index),
                peers: table.peers, channels: table.channels)
        }
        own = tables.map { table in
            KeyTargets(channels: table.channels.map(identify), isReply: table.isReply, isToAll: table.isToAll)
        }
    }

    /// Whether one of the keys will be voice-operated.
    static func hasVox(_ tables: [KeyTable], mode: TalkMode) -> Bool {
        tables.isEmpty ? mode == .vox : tables.contains { $0.mode(with: mode) == .vox }
    }

    package var modes: [TalkMode] { entries.map(\.mode) }

    /// The keys at the start: no peer is known yet.
    package var startKeys: TalkKeys { TalkKeys(own) }

    /// Returns the number of the key with this name, written in upper or lower case; of the key with this letter or
    /// digit on the terminal if no key has the name. Nil if there is none.
    package func index(of name: String) -> Int? {
        entries.firstIndex { $0.name == name }
            ?? entries.firstIndex { $0.name.lowercased() == name.lowercased() }
            ?? entries.firstIndex { $0.terminalKey.map(String.init) == name }
    }

    /// Returns the number of the key that was made for this peer; nil if there is none.
    package func index(ofPeer node: NodeID) -> Int? { entries.firstIndex { $0.privatePeer == node } }

    /// Returns the name that a channel of a key has in the configuration.
    func name(of channel: ChannelID, _ identify: (ChannelName) -> ChannelID) -> ChannelName? {
        entries.lazy.flatMap(\.channels).first { identify($0) == channel }
    }

    /// Notes the mode in which a key works.
    mutating func set(_ mode: TalkMode, of index: Int) { entries[index].mode = mode }

    /// Adds a key, or takes the place of one that was made before.
    mutating func set(_ entry: Entry, at index: Int) {
        if index == entries.count { entries.append(entry) } else { entries[index] = entry }
    }
}
