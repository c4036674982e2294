/// Force unwraps, `try!` and `as!`: a stranger's nil would stop the node.
enum ForcedValues {
    static func violations(in text: String) -> [Violation] {
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "!", tokens[index].kind == .symbol, tokens[index].isAttached else { return nil }
            let before = tokens[index - 1]
            let comparison = tokens.text(index + 1) == "=" && tokens[index + 1].isAttached
            guard !comparison else { return nil }
            if ["try", "as"].contains(before.text) { return Violation(line: before.line, what: "\(before.text)!") }
            let isValue = before.kind != .symbol || [")", "]", "}", ">", "?"].contains(before.text)
            return isValue ? Violation(line: before.line, what: "force unwrap of \(before.text)") : nil
        }
    }
}
