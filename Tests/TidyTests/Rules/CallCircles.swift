/// Functions that call each other in a circle. The coordinator of the mesh has none: each input runs through it from
/// top to bottom, and ends.
///
/// Functions are told apart by name and argument labels. A call through another value (`links.rekey(…)`) is no call of
/// these functions. Properties and references to functions are not followed.
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

    var count: Int { functions.count }

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
            guard let chain = chain(from: index, over: calls) else { continue }
            let names = chain.map { functions[$0].name }.joined(separator: " → ")
            found[functions[index].path, default: []].append(
                Violation(line: functions[index].line, what: "calls itself: \(names)"))
        }
        return found
    }

    /// Returns the shortest chain of calls from a function back to itself.
    private func chain(from start: Int, over calls: [[Int]]) -> [Int]? {
        var chains = calls[start].map { [start, $0] }
        var seen: Set<Int> = []
        while !chains.isEmpty {
            let chain = chains.removeFirst()
            if chain.last == start { return chain }
            guard let last = chain.last, seen.insert(last).inserted else { continue }
            chains += calls[last].map { chain + [$0] }
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
