/// The line of each key, table and list item of a TOML text (TOML 1.0). The parser does not report them.
///
/// A place is written as its path: `mesh`, `key[1]` for the second `[[key]]`, `key[1].mode` for a key in it. The text
/// must be parsed without an error: of another text, some lines may be wrong or missing.
///
/// The text is read before the parser reads it, up to the first thing that the parser must not read. Up to an error of
/// the text, both read the same.
struct TomlLines {
    /// What the parser must not read.
    enum Obstacle {
        /// A path with more than `CrewLimits.keyPathBytesMax` bytes. The parser and this type would otherwise need
        /// stack and memory for every level.
        case longKey
        /// A header whose key begins with another character than a key may. An assertion of the parser fails there.
        case noKey
        /// A `}` where a list has its next value. Another assertion fails there.
        case noValue
        /// The character U+0000, as it is or as an escape. The parser ends a text there, and the whole file too.
        case zero
    }

    /// The first obstacle, with its line; nil if there is none. Nothing is read after it.
    private(set) var obstacle: (what: Obstacle, line: Int)?
    private var lines: [String: Int] = [:]
    /// The number of tables so far in each array of tables, by the array's path.
    private var counts: [String: Int] = [:]
    private var rest: Substring.UnicodeScalarView
    private var line = 1

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
        // The parser skips a byte order mark at the front.
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        if let zero = rest.firstIndex(of: "\0") { stop(at: .zero, 1 + rest[..<zero].count { $0 == "\n" }) }
        var table = ""
        while skipBlanks(andLines: true), let next = rest.first {
            if next == "[" { table = scanHeader() } else { scanPair(in: table) }
        }
    }

    /// The line of the table or key with this path, or else of the table around it.
    func line(of path: String) -> Int? {
        if let line = lines[path] { return line }
        guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
        return line(of: String(path[..<end]))
    }

    /// An empty word has quotes, so that every word makes the path longer.
    static func path(_ table: String, _ word: String) -> String {
        let word = word.isEmpty ? "\"\"" : word
        return table.isEmpty ? word : "\(table).\(word)"
    }
    static func path(_ list: String, _ index: Int) -> String { "\(list)[\(index)]" }

    // MARK: Tables

    /// Reads `[a.b]` or `[[a.b]]` to the end of the line, and returns the path of the table.
    private mutating func scanHeader() -> String {
        take()
        let isArray = rest.first == "["
        if isArray { take() }
        while rest.first == " " || rest.first == "\t" { take() }
        if let next = rest.first, next != "]", !TomlLines.mayBeginKey(next) { stop(at: .noKey, line) }
        let words = scanWords(until: "]")
        var path = ""
        for (index, word) in words.enumerated() {
            path = TomlLines.path(path, word)
            note(path, line)
            if obstacle != nil { break }
            if isArray, index == words.count - 1 { counts[path, default: 0] += 1 }
            if let count = counts[path] {
                path = TomlLines.path(path, count - 1)
                note(path, line)
            }
        }
        skipLine()
        return path
    }

    /// Reads `a.b = VALUE`.
    private mutating func scanPair(in table: String) {
        let start = line
        var path = table
        for word in scanWords(until: "=") {
            path = TomlLines.path(path, word)
            note(path, start)
            if obstacle != nil { break }
        }
        take()
        scanValue(at: path)
    }

    /// Reads a key, bare or quoted, or several with dots between. The character at the end is left.
    private mutating func scanWords(until end: Unicode.Scalar) -> [String] {
        var words: [String] = []
        while skipBlanks(andLines: false), let next = rest.first, next != end, next != "\n" {
            switch next {
            case ".": take()
            case "\"", "'": words.append(scanText())
            default:
                let word = rest.prefix { ![".", " ", "\t", "\r", "\n", end].contains($0) }
                rest = rest[word.endIndex...]
                words.append(String(word))
            }
        }
        return words
    }

    // MARK: Values

    private mutating func scanValue(at path: String) {
        _ = skipBlanks(andLines: false)
        note(path, line)
        switch rest.first {
        case "\"", "'": _ = scanText()
        case "[": scanList(at: path)
        case "{":
            take()
            while skipBlanks(andLines: true), let next = rest.first, next != "}" {
                if next == "," { take() } else { scanPair(in: path) }
            }
            take()
        default:
            // A number, a truth value or a time. One character goes at least, so that every scan ends.
            take()
            while let next = rest.first, ![",", "]", "}", "\n", "#"].contains(next) { take() }
        }
    }

    private mutating func scanList(at path: String) {
        take()
        var count = 0
        while skipBlanks(andLines: true), let next = rest.first, next != "]" {
            switch next {
            case ",": take()
            case "}": stop(at: .noValue, line)
            default:
                scanValue(at: TomlLines.path(path, count))
                count += 1
            }
        }
        take()
    }

    /// How the character U+0000 is written in a text, after the backslash.
    private static let zeroEscapes = ["u0000", "U00000000"]

    /// Reads a text in quotes of one of the four kinds. Escapes stay as they are written.
    private mutating func scanText() -> String {
        guard let quote = rest.first else { return "" }
        let isLong = rest.starts(with: [quote, quote, quote])
        for _ in 0..<(isLong ? 3 : 1) { take() }
        var text = String.UnicodeScalarView()
        while let next = rest.first, isLong ? !rest.starts(with: [quote, quote, quote]) : next != quote {
            if next == "\\", quote == "\"" {
                text.append(take())
                if TomlLines.zeroEscapes.contains(where: { rest.starts(with: $0.unicodeScalars) }) {
                    stop(at: .zero, line)
                }
            }
            text.append(take())
        }
        for _ in 0..<(isLong ? 3 : 1) { take() }
        // A long text may end in one or two quotes of its own.
        while isLong, rest.first == quote { take() }
        return String(text)
    }

    // MARK: Characters

    /// Removes the next character and counts its line; returns a space at the end of the text.
    @discardableResult
    private mutating func take() -> Unicode.Scalar {
        guard let next = rest.popFirst() else { return " " }
        if next == "\n" { line += 1 }
        return next
    }

    /// Skips white space, and line ends with comments if `andLines`; returns whether something is left.
    private mutating func skipBlanks(andLines: Bool) -> Bool {
        while let next = rest.first {
            switch next {
            case " ", "\t", "\r": take()
            case "\n" where andLines: take()
            case "#" where andLines: skipLine()
            default: return true
            }
        }
        return false
    }

    /// Skips everything before the next line end.
    private mutating func skipLine() {
        while let next = rest.first, next != "\n" { take() }
    }

    private mutating func note(_ path: String, _ line: Int) {
        guard path.utf8.count <= CrewLimits.keyPathBytesMax else {
            return stop(at: .longKey, line)
        }
        if lines[path] == nil { lines[path] = line }
    }

    /// Ends every scan, since nothing is left.
    private mutating func stop(at what: Obstacle, _ line: Int) {
        if obstacle == nil { obstacle = (what, line) }
        rest = rest[rest.endIndex...]
    }

    private static func mayBeginKey(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "\"", "'": true
        default: false
        }
    }
}
