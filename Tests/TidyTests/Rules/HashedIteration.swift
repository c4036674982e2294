/// Dictionary and Set have another order in every process, so Core never walks through one.
///
/// A heuristic on names: what is declared as a hashed collection may be looked up, counted and
/// sorted, but not iterated.
enum HashedIteration {
    private static let walks = [
        "map", "compactMap", "flatMap", "forEach", "reduce", "first", "enumerated", "joined", "prefix", "dropFirst",
        "lazy", "popFirst", "removeFirst", "randomElement",
    ]
    private static let harmlessOfKeys = ["sorted", "contains", "count", "isEmpty", "allSatisfy", "min", "max"]

    /// - Parameter others: names that other files of the module declare as hashed collections.
    static func violations(in text: String, others: Set<String> = []) -> [Violation] {
        let tokens = SwiftTokens.tokens(of: text)
        let declared = declarations(in: text)
        let names = declared.hashed.union(others.subtracting(declared.plain))
        return tokens.indices.compactMap { index in
            guard tokens[index].kind == .word, names.contains(tokens[index].text), tokens.text(index + 1) != ":" else {
                return nil
            }
            guard isWalked(tokens, at: index) else { return nil }
            return Violation(line: tokens[index].line, what: "iterates the hashed collection \(tokens[index].text)")
        }
    }

    /// Names declared in `text`, by whether their type is hashed.
    static func declarations(in text: String) -> (hashed: Set<String>, plain: Set<String>) {
        let tokens = SwiftTokens.tokens(of: text)
        var hashed: Set<String> = []
        var plain: Set<String> = []
        for index in tokens.indices where tokens[index].kind == .word {
            let sign = tokens.text(index + 1)
            let isDeclared = ["var", "let"].contains(tokens.text(index - 1))
            guard sign == ":" || (sign == "=" && isDeclared) else { continue }
            if isHashed(tokens, from: index + 2) {
                hashed.insert(tokens[index].text)
            } else if isDeclared {
                plain.insert(tokens[index].text)
            }
        }
        return (hashed, plain)
    }

    private static func isHashed(_ tokens: [Token], from start: Int) -> Bool {
        if ["Set", "Dictionary"].contains(tokens.text(start)) { return ["<", "("].contains(tokens.text(start + 1)) }
        guard tokens.text(start) == "[" else { return false }
        var depth = 0
        for index in start..<tokens.closing(from: start, "[", "]") {
            depth +=
                ["[", "(", "<"].contains(tokens[index].text)
                ? 1 : [")", "]", ">"].contains(tokens[index].text) ? -1 : 0
            if depth == 1, tokens[index].text == ":" { return true }
        }
        return false
    }

    private static func isWalked(_ tokens: [Token], at index: Int) -> Bool {
        let next = tokens.text(index + 1)
        if next == "." {
            let member = tokens.text(index + 2)
            guard ["keys", "values"].contains(member) else { return walks.contains(member) }
            return tokens.text(index + 3) != "." || !harmlessOfKeys.contains(tokens.text(index + 4))
        }
        guard next == "{" || next == "where" else { return false }
        // `for x in name {`, `for x in self.name where`.
        let before = tokens.text(index - 1) == "." ? tokens.text(index - 3) : tokens.text(index - 1)
        return before == "in"
    }
}
