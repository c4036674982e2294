package import Channels
import Primitives
import Voice

/// One talk key as a file writes it: `[[key]]` in `config.toml`, `[[role.NAME.key]]` in a crew file.
///
/// ```toml
/// [[key]]
/// name = "crew"                  # as people call it: in `partyline keys`, `partyline talk --key crew`
/// channels = ["stage", "lights"] # any of channels, peers, reply, all; at least one
/// peers = ["FOH"]                # names, short ids or NodeIDs
/// reply = true                   # who last called, or last spoke privately to this node
/// all = true                     # every linked peer that grants it
/// mode = "latch"                 # absent: that of `talk`
/// key = "5"                      # on the terminal; absent: 1 for the first table, 2 for the second one, …
/// ```
/// A channel or peer that is written twice counts once, as with `talk-on`.
package struct KeyTable: Hashable, Sendable {
    /// The name of the array of tables.
    package static let word = "key"
    /// The keys that a table may have.
    package static let words = ["name", "channels", "peers", "reply", "all", "mode", "key"]

    /// 1 to `KeyTable.nameBytesMax` bytes, without spaces; unique in its file.
    package var name: String
    package var channels: [ChannelName] = []
    /// Peers as `PeerLookup` finds them. A peer that is unknown now may come later.
    package var peers: [String] = []
    package var isReply = false
    package var isToAll = false
    /// Nil for the mode of the option `talk`; see `mode(with:)`.
    package var mode: TalkMode?
    /// A letter or a digit; nil for the one of its place.
    package var terminalKey: Character?
    /// Where the table begins.
    package var place: ConfigurationError.Place

    package init(name: String, place: ConfigurationError.Place) {
        self.name = name
        self.place = place
    }

    package static let nameBytesMax = 24
    /// Channels of one key, and peers of one key.
    package static let targetsMax = 32

    /// Reads all tables `[[key]]` of a table, and notes the mistakes of each key, and of the keys together.
    package static func all(in table: TomlFields, noting mistakes: inout ConfigurationMistakes) -> [KeyTable] {
        let tables = mistakes.attempt { () throws(ConfigurationError) in try table.tables(word) } ?? []
        if TalkLimits.keysMax < tables.count {
            mistakes.note(tables[TalkLimits.keysMax].place, "a node has at most \(TalkLimits.keysMax) keys")
        }
        var keys: [(key: KeyTable, letter: Character)] = []
        for (index, fields) in tables.prefix(TalkLimits.keysMax).enumerated() {
            guard let key = KeyTable(fields, noting: &mistakes) else { continue }
            let letter = key.letter(at: index)
            if keys.contains(where: { $0.key.name == key.name }) {
                mistakes.note(fields.place(of: "name"), "two keys are called '\(key.name)'")
            } else if let other = keys.first(where: { $0.letter == letter }) {
                mistakes.note(
                    fields.place(of: "key"), "the key '\(other.key.name)' is '\(letter)' on the terminal too")
            }
            keys.append((key, letter))
        }
        return keys.map(\.key)
    }
}

extension KeyTable {
    /// Reads a table, and notes its mistakes. Nil if the key has no name.
    private init?(_ fields: TomlFields, noting mistakes: inout ConfigurationMistakes) {
        var own = ConfigurationMistakes()
        KeyTable.allowWords(in: fields, noting: &own)
        let name = own.attempt { () throws(ConfigurationError) in
            guard let name = try fields.text("name", Form.name) else { throw fields.missing("name", Form.name) }
            guard KeyTable.isName(name) else { throw fields.wrong("name", name, Form.name) }
            return name
        }
        self.init(name: name ?? "", place: fields.place)
        for text in targets("channels", Form.channels, fields, &own) {
            if let channel = try? ChannelName(typed: text) {
                if !channels.contains(channel) { channels.append(channel) }
            } else {
                own.note(fields.wrong("channels", text, Form.channels))
            }
        }
        for peer in targets("peers", Form.peers, fields, &own) where !peers.contains(peer) { peers.append(peer) }
        for peer in peers where SafeText(peer).string != peer || peer.isEmpty {
            own.note(fields.wrong("peers", peer, Form.peers))
        }
        isReply = own.attempt { () throws(ConfigurationError) in try fields.flag("reply") ?? false } ?? false
        isToAll = own.attempt { () throws(ConfigurationError) in try fields.flag("all") ?? false } ?? false
        mode = own.attempt { () throws(ConfigurationError) in try mode(fields) } ?? nil
        terminalKey = own.attempt { () throws(ConfigurationError) in try terminalKey(fields) } ?? nil
        // Another mistake of the table is perhaps the reason.
        if own.isEmpty, channels.isEmpty, peers.isEmpty, !isReply, !isToAll {
            own.note(fields.place, "the key speaks to nobody, expected channels, peers, reply or all")
        }
        mistakes.note(own)
        if name == nil { return nil }
    }

    /// Notes each key of a table that is none of a talk key.
    private static func allowWords(in fields: TomlFields, noting mistakes: inout ConfigurationMistakes) {
        for word in fields.words where !words.contains(word) && !mistakes.isFull {
            // `channel` and `peer` are settings too, but more likely mistyped here.
            let isSetting = RunKey(rawValue: word) != nil && !words.contains("\(word)s")
            var mistake = fields.unknown(word, nearest: isSetting ? nil : NearestWord.of(word, among: words))
            if isSetting { mistake.problem += " in a talk key (a setting stands above all tables of talk keys)" }
            mistakes.note(mistake)
        }
    }

    private func targets(
        _ word: String, _ form: String, _ fields: TomlFields, _ mistakes: inout ConfigurationMistakes
    ) -> [String] {
        let texts = mistakes.attempt { () throws(ConfigurationError) in try fields.texts(word, form) } ?? []
        if KeyTable.targetsMax < texts.count {
            mistakes.note(fields.place(of: word), "'\(word)' has more than \(KeyTable.targetsMax) entries")
        }
        return Array(texts.prefix(KeyTable.targetsMax))
    }

    private func mode(_ fields: TomlFields) throws(ConfigurationError) -> TalkMode? {
        guard let text = try fields.text("mode", Form.mode) else { return nil }
        guard let mode = TalkMode(rawValue: text) else { throw fields.wrong("mode", text, Form.mode) }
        // The node remembers whom a reply goes to when the key goes down, and these two never go up.
        if isReply, mode.isDownByItself {
            throw ConfigurationError(fields.place(of: "mode"), "a key with reply is pressed: ptt, latch or smart")
        }
        return mode
    }

    private func terminalKey(_ fields: TomlFields) throws(ConfigurationError) -> Character? {
        guard let text = try fields.text("key", Form.terminalKey) else { return nil }
        guard text.count == 1, let letter = text.lowercased().first, KeyTable.isFree(letter) else {
            throw fields.wrong("key", text, Form.terminalKey)
        }
        return letter
    }

    /// The mode in which the key works. A key with `reply` and no mode of its own is pressed, also where others are
    /// not.
    /// - Parameter talk: the mode of the option `talk`.
    package func mode(with talk: TalkMode) -> TalkMode {
        mode ?? (isReply && talk.isDownByItself ? .ptt : talk)
    }

    /// The letter or digit on the terminal of the key in this place: 1 for the first, unless the table names one.
    package func letter(at index: Int) -> Character { terminalKey ?? Character("\(index + 1)") }

    /// Whether a character of the terminal is a digit or a letter, in lower case, that has no other meaning.
    package static func isFree(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber) && ConsoleLetter(rawValue: letter) == nil
    }

    /// Whether a text can be the name of a key.
    package static func isName(_ text: String) -> Bool {
        let shown = SafeText(text, graphemesMax: nameBytesMax, bytesMax: nameBytesMax)
        return shown.string == text && !text.isEmpty && !text.contains(where: \.isWhitespace)
    }

    /// The forms of valid values, for messages.
    private enum Form {
        static let name = "a name of 1 to \(KeyTable.nameBytesMax) bytes without spaces"
        static let channels = "channel names of 1 to 24 characters, for example [\"stage\", \"lights\"]"
        static let peers = "names or ids of peers, for example [\"FOH\"]"
        static let mode = "one of " + TalkMode.allCases.map(\.rawValue).joined(separator: ", ")
        static let terminalKey =
            "one letter or digit other than " + ConsoleLetter.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}
