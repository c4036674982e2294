/// Functions that call each other in a circle. The coordinator of the mesh has none: each input runs through it from
/// top to bottom, and ends.
///
/// Functions are told apart by name and argument labels. A call through another value (`links.rekey(…)`) is no call of
/// these functions.
struct CallCircles {
    private struct Function {
        let name: String
        let labels: [Label]
        let path: String
        let line: Int
        let body: ArraySlice<Token>
    }

    private struct Label {
        let text: String
        /// Whether a call may leave the argument out: it has a default, or it is a closure behind the brackets.
        let isOptional: Bool
    }

    private var functions: [Function] = []

    /// Adds the functions that a file declares.
    mutating func add(_ text: String, at path: String) {
        let tokens = SwiftTokens.tokens(of: text)
        for index in tokens.indices where tokens[index].text == "func" && tokens[index].kind == .word {
            guard let open = tokens[index...].firstIndex(where: { $0.text == "(" }) else { continue }
            let close = tokens.closing(from: open, "(", ")")
            guard let start = tokens[close...].firstIndex(where: { $0.text == "{" }) else { continue }
            let end = tokens.closing(from: start, "{", "}")
            functions.append(
                Function(
                    name: tokens.text(index + 1), labels: labels(of: tokens[(open + 1)..<close]), path: path,
                    line: tokens[index].line, body: tokens[start..<end]))
        }
    }

    /// The functions that reach themselves, by path.
    func circles() -> [String: [Violation]] {
        let calls = functions.map { function in functions.indices.filter { isCalled($0, in: function.body) } }
        var found: [String: [Violation]] = [:]
        for index in functions.indices {
            guard let way = way(from: index, over: calls) else { continue }
            let names = way.map { functions[$0].name }.joined(separator: " → ")
            found[functions[index].path, default: []].append(
                Violation(line: functions[index].line, what: "calls itself: \(names)"))
        }
        return found
    }

    /// Returns the shortest way from a function back to itself.
    private func way(from start: Int, over calls: [[Int]]) -> [Int]? {
        var ways = calls[start].map { [start, $0] }
        var seen: Set<Int> = []
        while !ways.isEmpty {
            let way = ways.removeFirst()
            if way.last == start { return way }
            guard let last = way.last, seen.insert(last).inserted else { continue }
            ways += calls[last].map { way + [$0] }
        }
        return nil
    }

    private func isCalled(_ index: Int, in body: ArraySlice<Token>) -> Bool {
        let tokens = Array(body)
        return tokens.indices.contains { at in
            let isOwn = tokens.text(at - 1) != "." || tokens.text(at - 2) == "self"
            guard tokens[at].text == functions[index].name, tokens[at].kind == .word, isOwn,
                tokens.text(at + 1) == "(", tokens.text(at - 1) != "func"
            else { return false }
            let close = tokens.closing(from: at + 1, "(", ")")
            return fits(arguments(of: tokens[(at + 2)..<close]), functions[index].labels)
        }
    }

    /// Whether a call with these argument labels can mean a function with those.
    private func fits(_ arguments: [String], _ labels: [Label]) -> Bool {
        var next = 0
        for label in labels {
            if next < arguments.count, arguments[next] == label.text {
                next += 1
            } else if !label.isOptional {
                return false
            }
        }
        return next == arguments.count
    }

    private func labels(of parameters: ArraySlice<Token>) -> [Label] {
        pieces(of: parameters).map { piece in
            let isOptional = piece.contains { $0.text == "=" } || piece.contains { $0.text == "-" }
            return Label(text: piece.first?.text ?? "_", isOptional: isOptional)
        }
    }

    private func arguments(of tokens: ArraySlice<Token>) -> [String] {
        pieces(of: tokens).map { piece in
            let piece = Array(piece)
            return piece.text(1) == ":" && piece[0].kind == .word ? piece[0].text : "_"
        }
    }

    /// The parts between the commas outside all brackets.
    private func pieces(of tokens: ArraySlice<Token>) -> [ArraySlice<Token>] {
        var depth = 0
        return tokens.split { token in
            if "([{".contains(token.text) { depth += 1 }
            if ")]}".contains(token.text) { depth -= 1 }
            return token.text == "," && depth == 0
        }
    }
}
