import Primitives
package import TOMLKit

/// One table of a TOML file: its values by their kind, each with its line in a message.
///
/// ```swift
/// let file = try TomlFields(text, path: "config.toml")
/// for key in try file.tables("key") {                       // [[key]]
///     key.allow(["name", "channels", "reply"], noting: &mistakes)
///     guard let name = try key.text("name", "a name") else {
///         throw key.missing("name", "a name")
///     }
///     let channels = try key.texts("channels", "a list of channel names")
/// }
/// ```
package struct TomlFields {
    /// The name of the file in messages.
    package let path: String
    private let table: TOMLTable
    private let lines: TomlLines
    /// The place of the table in the file, as `TomlLines` writes it; empty for the file itself.
    private let location: String

    /// Reads a whole file.
    /// - Throws: `ConfigurationError` if the text is not TOML, has the character U+0000, or has a key that is too long
    ///   with the tables around it.
    package init(_ text: String, path: String) throws(ConfigurationError) {
        lines = TomlLines(text)
        if let (obstacle, line) = lines.obstacle {
            let problem =
                switch obstacle {
                case .longKey:
                    "a key has more than \(CrewLimits.keyPathBytesMax) bytes with the tables around it"
                case .noKey: "not TOML: a table without a name, expected [name] or [[name]]"
                case .noValue: "not TOML: '}' in a list, expected a value or ]"
                case .zero: "the character U+0000 is in the text, and no setting may have it"
                }
            throw ConfigurationError(.file(path: path, line: line), problem)
        }
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let why = SafeText.inSentence(error.description)
            throw ConfigurationError(.file(path: path, line: error.source.begin.line), "not TOML: \(why)")
        } catch {
            throw ConfigurationError(.file(path: path, line: nil), "not TOML: \(error)")
        }
        self.path = path
        location = ""
    }

    private init(_ table: TOMLTable, in parent: TomlFields, at location: String) {
        self.table = table
        path = parent.path
        lines = parent.lines
        self.location = location
    }

    /// The keys of the table, in the order of the file.
    package var words: [String] {
        table.keys.sorted { (line(of: $0) ?? 0, $0) < (line(of: $1) ?? 0, $1) }
    }

    /// Where a key is written.
    package func place(of word: String) -> ConfigurationError.Place { .file(path: path, line: line(of: word)) }

    /// Where the table begins.
    package var place: ConfigurationError.Place { .file(path: path, line: lines.line(of: location)) }

    private func line(of word: String) -> Int? { lines.line(of: TomlLines.path(location, word)) }

    /// The value of a key as it was parsed; nil if the key is not set.
    package func value(_ word: String) -> (any TOMLValueConvertible)? { table[word] }
}

/// One item of a list in a TOML file.
package enum TomlItem {
    case text(String, at: ConfigurationError.Place)
    case table(TomlFields)
}

// MARK: - Values

extension TomlFields {
    /// - Parameter expectation: the form of a valid value, for the message.
    package func text(_ word: String, _ expectation: String) throws(ConfigurationError) -> String? {
        guard let value = value(word) else { return nil }
        guard let text = value.string else { throw mismatch(value, word, expectation) }
        return text
    }

    /// A list of texts, or one text; empty if the key is not set.
    package func texts(_ word: String, _ expectation: String) throws(ConfigurationError) -> [String] {
        guard let value = value(word) else { return [] }
        if let text = value.string { return [text] }
        guard let list = value.array else { throw mismatch(value, word, expectation) }
        var texts: [String] = []
        for item in list {
            guard let text = item.string else { throw mismatch(item, word, expectation, inside: "a list with ") }
            texts.append(text)
        }
        return texts
    }

    package func flag(_ word: String) throws(ConfigurationError) -> Bool? {
        guard let value = value(word) else { return nil }
        guard let isOn = value.bool else { throw mismatch(value, word, "true or false") }
        return isOn
    }

    /// A number, with or without a fraction.
    package func number(_ word: String, _ expectation: String) throws(ConfigurationError) -> Double? {
        guard let value = value(word) else { return nil }
        guard let number = value.int.map(Double.init) ?? value.double else { throw mismatch(value, word, expectation) }
        return number
    }

    /// The tables `[[word]]`; empty if there is none.
    package func tables(_ word: String) throws(ConfigurationError) -> [TomlFields] {
        guard let value = value(word) else { return [] }
        let location = TomlLines.path(location, word)
        guard let list = value.array else { throw mismatch(value, word, "tables [[\(word)]]") }
        var tables: [TomlFields] = []
        for (index, item) in list.enumerated() {
            guard let table = item.table else {
                throw mismatch(item, word, "tables [[\(word)]]", inside: "a list with ")
            }
            tables.append(TomlFields(table, in: self, at: TomlLines.path(location, index)))
        }
        return tables
    }

    /// The items of a list that holds texts and tables; empty if the key is not set.
    package func items(_ word: String, _ expectation: String) throws(ConfigurationError) -> [TomlItem] {
        guard let value = value(word) else { return [] }
        guard let list = value.array else { throw mismatch(value, word, expectation) }
        var items: [TomlItem] = []
        for (index, item) in list.enumerated() {
            let location = TomlLines.path(TomlLines.path(location, word), index)
            if let table = item.table {
                items.append(.table(TomlFields(table, in: self, at: location)))
            } else if let text = item.string {
                items.append(.text(text, at: .file(path: path, line: lines.line(of: location))))
            } else {
                throw mismatch(item, word, expectation, inside: "a list with ")
            }
        }
        return items
    }

    /// The table `[word]`; nil if there is none.
    package func table(_ word: String) throws(ConfigurationError) -> TomlFields? {
        guard let value = value(word) else { return nil }
        guard let table = value.table else { throw mismatch(value, word, "a table [\(word)]") }
        return TomlFields(table, in: self, at: TomlLines.path(location, word))
    }
}

// MARK: - Mistakes

extension TomlFields {
    /// Notes each key of the table that is not among `known`.
    package func allow(_ known: [String], noting mistakes: inout ConfigurationMistakes) {
        for word in words where !known.contains(word) && !mistakes.isFull {
            mistakes.note(unknown(word, nearest: NearestWord.of(word, among: known)))
        }
    }

    package func unknown(_ word: String, nearest: String?) -> ConfigurationError {
        let shown = SafeText(word, graphemesMax: 40, bytesMax: 160)
        let hint = nearest.map { " (did you mean '\($0)'?)" } ?? ""
        return ConfigurationError(place(of: word), "unknown key '\(shown)'\(hint)")
    }

    /// The key is required, and the table has none.
    package func missing(_ word: String, _ expectation: String) -> ConfigurationError {
        ConfigurationError(place, "'\(word)' is missing, expected \(expectation)")
    }

    /// The value of the key has the right kind, and means nothing.
    package func wrong(_ word: String, _ text: String, _ expectation: String) -> ConfigurationError {
        let shown = SafeText(text, graphemesMax: 40, bytesMax: 160)
        return ConfigurationError(place(of: word), "'\(word)' is '\(shown)', expected \(expectation)")
    }

    /// - Parameter inside: words before the kind that was found, for an item of a list.
    package func mismatch(
        _ value: any TOMLValueConvertible, _ word: String, _ expectation: String, inside: String = ""
    ) -> ConfigurationError {
        let found =
            switch value.type {
            case .bool: "a truth value"
            case .int: "a whole number"
            case .double: "a number"
            case .string: "a text"
            case .table: "a table"
            case .array: "a list"
            case .date, .time, .dateTime: "a date or time"
            }
        return ConfigurationError(place(of: word), "'\(word)' is \(inside)\(found), expected \(expectation)")
    }
}
