import Primitives
import TOMLKit

/// Reads `config.toml`: a flat table whose keys are the options of `partyline run`.
package enum ConfigurationFile {
    /// - Parameters:
    ///   - text: the file's content.
    ///   - path: the name of the file in messages.
    /// - Throws: `ConfigurationError` of the first mistake: text that is not TOML, an unknown key, a value of a wrong
    ///   kind.
    package static func settings(in text: String, path: String) throws(ConfigurationError) -> RunSettings {
        let lines = KeyLines(text)
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            let why = SafeText(error.description, graphemesMax: 200, bytesMax: 800)
            throw ConfigurationError(.file(path: path, line: error.source.begin.line), "not TOML: \(why)")
        } catch {
            throw ConfigurationError(.file(path: path, line: nil), "not TOML: \(error)")
        }
        var settings = RunSettings()
        // In the order of the file, so that the message names the first mistake.
        for word in table.keys.sorted(by: { lines.line(of: $0) ?? 0 < lines.line(of: $1) ?? 0 }) {
            let place = ConfigurationError.Place.file(path: path, line: lines.line(of: word))
            guard let key = RunKey(rawValue: word) else { throw unknown(word, place) }
            guard let value = table[word] else { continue }
            settings.set(key, try values(of: value, key, place))
        }
        return settings
    }

    private static func unknown(_ word: String, _ place: ConfigurationError.Place) -> ConfigurationError {
        let shown = SafeText(word, graphemesMax: 40, bytesMax: 160)
        let hint = RunKey.nearest(to: word).map { " (did you mean '\($0.rawValue)'?)" } ?? ""
        return ConfigurationError(place, "unknown key '\(shown)'\(hint)")
    }

    private static func values(
        of value: any TOMLValueConvertible, _ key: RunKey, _ place: ConfigurationError.Place
    ) throws(ConfigurationError) -> [RunSettings.Value] {
        if key.isList, let list = value.array {
            var values: [RunSettings.Value] = []
            for item in list {
                guard let text = item.string else { throw mismatch(item, key, place, inside: "a list with ") }
                values.append(RunSettings.Value(text, at: place))
            }
            return values
        }
        switch key {
        case _ where key.isSwitch:
            guard let isOn = value.bool else { throw mismatch(value, key, place) }
            return [RunSettings.Value("\(isOn)", at: place)]
        case _ where key.isNumber:
            guard let number = value.int.map({ "\($0)" }) ?? value.double.map({ "\($0)" }) else {
                throw mismatch(value, key, place)
            }
            return [RunSettings.Value(number, at: place)]
        case .bitrate, .replay:
            guard let number = value.int else { throw mismatch(value, key, place) }
            return [RunSettings.Value("\(number)", at: place)]
        default:
            guard let text = value.string else { throw mismatch(value, key, place) }
            return [RunSettings.Value(text, at: place)]
        }
    }

    private static func mismatch(
        _ value: any TOMLValueConvertible, _ key: RunKey, _ place: ConfigurationError.Place, inside: String = ""
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
        return ConfigurationError(place, "'\(key.rawValue)' is \(inside)\(found), expected \(key.expectation)")
    }
}

/// The line number of each top-level key or table. The parser does not report it.
private struct KeyLines {
    private var lines: [String: Int] = [:]

    init(_ text: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let word = KeyLines.word(line), lines[word] == nil else { continue }
            lines[word] = index + 1
        }
    }

    func line(of key: String) -> Int? { lines[key] }

    private static func word(_ line: Substring) -> String? {
        let trimmed = line.drop { $0 == " " || $0 == "\t" || $0 == "[" }
        let quoted = trimmed.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
        if let quoted {
            let inner = trimmed.dropFirst()
            return inner.firstIndex(of: quoted).map { String(inner[..<$0]) }
        }
        let word = trimmed.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        return word.isEmpty ? nil : String(word)
    }
}
