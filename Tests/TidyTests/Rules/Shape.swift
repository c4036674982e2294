import Foundation

/// The shape of files: length, width, functions, and what must not be left behind.
enum Shape {
    static let linesMax = 400
    static let columnsMax = 120
    static let functionCodeLinesMax = 60

    static func tooLong(_ text: String) -> [Violation] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        return lines <= linesMax ? [] : [Violation(line: linesMax, what: "\(lines) lines, \(linesMax) at most")]
    }

    static func tooWide(_ text: String) -> [Violation] {
        numbered(text).filter { columnsMax < $0.text.count }
            .map { Violation(line: $0.line, what: "\($0.text.count) columns, \(columnsMax) at most") }
    }

    /// Counts lines that hold code: comments and blank lines are free.
    static func longFunctions(_ text: String) -> [Violation] {
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            guard tokens[index].kind == .word, ["func", "init"].contains(tokens[index].text),
                tokens.text(index - 1) != ".", let open = body(tokens, from: index)
            else { return nil }
            let close = tokens.closing(from: open, "{", "}")
            let lines = Set(tokens[open..<close].map(\.line)).count
            guard functionCodeLinesMax < lines else { return nil }
            return Violation(line: tokens[index].line, what: "a function of \(lines) code lines")
        }
    }

    /// The marks of unfinished work, in two parts so that this file does not hold them.
    static func leftovers(_ text: String) -> [Violation] {
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        return numbered(text).compactMap { line, content in
            let words = content.split { !$0.isLetter }.map(String.init)
            return marks.first(where: words.contains).map { Violation(line: line, what: "left open: \($0)") }
        }
    }

    /// Paths that exist on one person's machine only.
    static func machinePaths(_ text: String) -> [Violation] {
        let starts = ["/wo" + "rk/", "/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/"]
        return numbered(text).compactMap { line, content in
            starts.first { start in
                guard let range = content.range(of: start) else { return false }
                let before = content[..<range.lowerBound].last
                return before.map { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "}" } ?? true
            }.map { Violation(line: line, what: "a path of one machine: \($0)") }
        }
    }

    /// Stand-ins from before a module was written.
    static func placeholders(_ text: String) -> [Violation] {
        SwiftTokens.tokens(of: text).compactMap { token in
            let isStandIn = token.kind == .word && token.text.hasSuffix("Place" + "holder")
            return isStandIn ? Violation(line: token.line, what: "a placeholder: \(token.text)") : nil
        }
    }

    static func numbered(_ text: String) -> [(line: Int, text: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0.offset + 1, $0.element) }
    }

    private static func body(_ tokens: [Token], from start: Int) -> Int? {
        guard let list = (start..<tokens.count).first(where: { tokens[$0].text == "(" }), list - start < 40 else {
            return nil
        }
        let end = tokens.closing(from: list, "(", ")")
        // A body opens before the next declaration or statement would begin; a requirement has none.
        for index in end..<min(end + 40, tokens.count) {
            if tokens[index].text == "{" { return index }
            if tokens[index].text == "}" || ["func", "var", "let", "init", "case"].contains(tokens[index].text) {
                return nil
            }
        }
        return nil
    }
}
