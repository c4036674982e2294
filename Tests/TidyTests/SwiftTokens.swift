/// A word, number, string or single symbol of Swift source, without comments.
struct Token: Equatable {
    enum Kind { case word, number, string, symbol }

    let kind: Kind
    let text: String
    /// Counted from 1.
    let line: Int
    /// Whether it touches the token before it.
    let isAttached: Bool
}

/// Reads Swift source as tokens: enough to tell code from comments and strings, no more.
struct SwiftTokens {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var isAttached = false
    private var tokens: [Token] = []

    static func tokens(of text: String) -> [Token] {
        var reader = SwiftTokens(bytes: Array(text.utf8))
        reader.readCode(untilClosingParenthesis: false)
        return reader.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(at distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    private func startsWith(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    private mutating func advance() {
        if byte() == UInt8(ascii: "\n") { line += 1 }
        offset += 1
    }

    private mutating func append(_ kind: Token.Kind, _ text: String, line: Int) {
        tokens.append(Token(kind: kind, text: text, line: line, isAttached: isAttached))
        isAttached = true
    }

    private mutating func readCode(untilClosingParenthesis: Bool) {
        var depth = 0
        while let next = byte() {
            if startsWith("//") {
                while let inside = byte(), inside != UInt8(ascii: "\n") { advance() }
                isAttached = false
            } else if startsWith("/*") {
                readBlockComment()
            } else if next == UInt8(ascii: "\"") || (next == UInt8(ascii: "#") && isRawString) {
                readString()
            } else if SwiftTokens.isDigit(next) {
                readNumber()
            } else if SwiftTokens.isWord(next) {
                let start = offset
                while let inside = byte(), SwiftTokens.isWord(inside) { advance() }
                append(.word, String(decoding: bytes[start..<offset], as: UTF8.self), line: line)
            } else if SwiftTokens.isSpace(next) {
                isAttached = false
                advance()
            } else {
                depth += next == UInt8(ascii: "(") ? 1 : next == UInt8(ascii: ")") ? -1 : 0
                if untilClosingParenthesis, depth < 0 { return }
                append(.symbol, String(decoding: [next], as: UTF8.self), line: line)
                advance()
            }
        }
    }

    private mutating func readBlockComment() {
        var depth = 0
        repeat {
            if startsWith("/*") {
                depth += 1
                offset += 2
            } else if startsWith("*/") {
                depth -= 1
                offset += 2
            } else {
                advance()
            }
        } while 0 < depth && offset < bytes.count
        isAttached = false
    }

    private mutating func readNumber() {
        let start = offset
        while let inside = byte() {
            let isFraction = inside == UInt8(ascii: ".") && byte(at: 1).map(SwiftTokens.isDigit) == true
            guard SwiftTokens.isWord(inside) || isFraction else { break }
            advance()
        }
        append(.number, String(decoding: bytes[start..<offset], as: UTF8.self), line: line)
    }

    private var isRawString: Bool {
        var distance = 0
        while byte(at: distance) == UInt8(ascii: "#") { distance += 1 }
        return byte(at: distance) == UInt8(ascii: "\"")
    }

    private mutating func readString() {
        let startLine = line
        var hashes = ""
        while byte() == UInt8(ascii: "#") {
            hashes += "#"
            offset += 1
        }
        let quote = startsWith("\"\"\"") ? "\"\"\"" : "\""
        offset += quote.utf8.count
        append(.string, "\"", line: startLine)
        while offset < bytes.count, !startsWith(quote + hashes) {
            if startsWith("\\" + hashes + "(") {
                offset += 2 + hashes.utf8.count
                isAttached = false
                readCode(untilClosingParenthesis: true)
                offset += 1
            } else if startsWith("\\" + hashes) {
                offset += 1 + hashes.utf8.count
                advance()
            } else {
                advance()
            }
        }
        offset += quote.utf8.count + hashes.utf8.count
        isAttached = true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }
    private static func isSpace(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || 128 <= byte
            || (UInt8(ascii: "a") <= byte | 32 && byte | 32 <= UInt8(ascii: "z"))
    }
}

extension [Token] {
    /// The text at `index`, or nothing outside.
    func text(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    /// Where the bracket that opens at `start` closes; the end where it does not.
    func closing(from start: Int, _ open: String, _ close: String) -> Int {
        var depth = 0
        for index in start..<count {
            if self[index].kind == .symbol, self[index].text == open { depth += 1 }
            if self[index].kind == .symbol, self[index].text == close {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return count
    }
}
