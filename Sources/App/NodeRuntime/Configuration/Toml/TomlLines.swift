/// The line of each table and key of a TOML text. The parser does not report them.
///
/// A place is written as its path: `mesh`, `key[1]` for the second `[[key]]`, `key[1].mode` for a key in it.
struct TomlLines {
    private var lines: [String: Int] = [:]
    /// The number of tables so far in each array of tables, by the array's path.
    private var counts: [String: Int] = [:]

    init(_ text: String) {
        var table = ""
        var isInText = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let begins = !isInText
            if TomlLines.delimiters(in: line) % 2 == 1 { isInText.toggle() }
            guard begins else { continue }
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.first == "[" {
                guard let path = header(trimmed) else { continue }
                table = path
                note(path, index + 1)
                // A message about the whole array has the line of its first table.
                if let bracket = path.lastIndex(of: "["), path.hasSuffix("]") {
                    note(String(path[..<bracket]), index + 1)
                }
            } else if let (words, rest) = TomlLines.words(trimmed), rest.first == "=" {
                var path = table
                for word in words {
                    path = TomlLines.path(path, word)
                    note(path, index + 1)
                }
            }
        }
    }

    /// The line of the table or key with this path, or else of the table around it.
    func line(of path: String) -> Int? {
        if let line = lines[path] { return line }
        guard let dot = path.lastIndex(of: ".") else {
            return path.lastIndex(of: "[").flatMap { lines[String(path[..<$0])] }
        }
        return line(of: String(path[..<dot]))
    }

    static func path(_ table: String, _ word: String) -> String { table.isEmpty ? word : "\(table).\(word)" }

    private mutating func note(_ path: String, _ line: Int) {
        if lines[path] == nil { lines[path] = line }
    }

    /// Reads `[a.b]` or `[[a.b]]`; nil if the line is neither.
    private mutating func header(_ line: Substring) -> String? {
        let isArray = line.hasPrefix("[[")
        guard let (words, rest) = TomlLines.words(line.dropFirst(isArray ? 2 : 1)), rest.first == "]" else {
            return nil
        }
        var path = ""
        for (index, word) in words.enumerated() {
            path = TomlLines.path(path, word)
            if isArray, index == words.count - 1 { counts[path, default: 0] += 1 }
            if let count = counts[path] { path += "[\(count - 1)]" }
        }
        return path
    }

    /// Reads a key, bare or quoted, or several with dots between. Returns them with the rest of the line.
    private static func words(_ line: Substring) -> ([String], rest: Substring)? {
        var words: [String] = []
        var rest = line
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if let quote = rest.first, quote == "\"" || quote == "'" {
                let inner = rest.dropFirst()
                guard let end = inner.firstIndex(of: quote) else { return nil }
                words.append(String(inner[..<end]))
                rest = inner[inner.index(after: end)...]
            } else {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
                guard !word.isEmpty else { return nil }
                words.append(String(word))
                rest = rest.dropFirst(word.count)
            }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard rest.first == "." else { return (words, rest) }
            rest = rest.dropFirst()
        }
    }

    /// The number of marks in a line that begin or end a text of several lines.
    private static func delimiters(in line: Substring) -> Int {
        line.ranges(of: "\"\"\"").count + line.ranges(of: "'''").count
    }
}
