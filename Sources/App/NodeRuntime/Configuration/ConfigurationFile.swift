import TOMLKit

/// Reads `config.toml`: the options of `partyline run`, and a table `[[key]]` for each talk key.
package enum ConfigurationFile {
    /// - Parameters:
    ///   - text: the file's content.
    ///   - path: the name of the file in messages.
    /// - Throws: every mistake: text that is not TOML, unknown keys, values of a wrong kind.
    package static func settings(in text: String, path: String) throws(ConfigurationMistakes) -> RunSettings {
        var mistakes = ConfigurationMistakes()
        let read = settings(in: text, path: path, noting: &mistakes)
        try mistakes.check()
        return read
    }

    /// Reads the file to its end, and notes its mistakes. A setting whose value is of a wrong kind is set, and has no
    /// value.
    static func settings(
        in text: String, path: String, noting mistakes: inout ConfigurationMistakes
    ) -> RunSettings {
        var settings = RunSettings()
        let file = mistakes.attempt { () throws(ConfigurationError) in try TomlFields(text, path: path) }
        guard let file else { return settings }
        for word in file.words where !mistakes.isFull {
            if word == KeyTable.word {
                settings.keys = KeyTable.all(in: file, noting: &mistakes)
            } else if let key = RunKey(rawValue: word) {
                let list = mistakes.attempt { () throws(ConfigurationError) in try values(of: key, in: file) }
                settings.set(key, list ?? [])
            } else {
                let nearest = RunKey.nearest(to: word, besides: [KeyTable.word])
                mistakes.note(file.unknown(word, nearest: nearest == KeyTable.word ? "[[\(KeyTable.word)]]" : nearest))
            }
        }
        return settings
    }

    /// The values of a setting in a table, as texts; empty if it is not set.
    ///
    /// - Throws: `ConfigurationError` if the value is of a wrong kind.
    static func values(of key: RunKey, in file: TomlFields) throws(ConfigurationError) -> [RunSettings.Value] {
        guard let value = file.value(key.rawValue) else { return [] }
        let place = file.place(of: key.rawValue)
        if key.isList, value.array != nil {
            return try file.texts(key.rawValue, key.expectation).map {
                RunSettings.Value($0, at: place, isOfList: true)
            }
        }
        switch key {
        case _ where key.isSwitch:
            guard let isOn = value.bool else { throw file.mismatch(value, key.rawValue, key.expectation) }
            return [RunSettings.Value("\(isOn)", at: place)]
        case _ where key.isNumber:
            guard let number = value.int.map({ "\($0)" }) ?? value.double.map({ "\($0)" }) else {
                throw file.mismatch(value, key.rawValue, key.expectation)
            }
            return [RunSettings.Value(number, at: place)]
        case .bitrate, .replay:
            guard let number = value.int else { throw file.mismatch(value, key.rawValue, key.expectation) }
            return [RunSettings.Value("\(number)", at: place)]
        default:
            guard let text = value.string else { throw file.mismatch(value, key.rawValue, key.expectation) }
            return [RunSettings.Value(text, at: place)]
        }
    }
}
