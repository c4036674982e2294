/// What would silently end Core's being a value: clocks, threads, output, unseeded randomness,
/// untyped errors and, outside Voice, floating point.
enum CoreBans {
    private static let words: [String: String] = [
        "ContinuousClock": "Core has no clock; `now` is an argument",
        "SuspendingClock": "Core has no clock; `now` is an argument",
        "Date": "Core has no clock; `now` is an argument",
        "Task": "Core has no threads",
        "DispatchQueue": "Core has no threads",
        "Dispatch": "Core has no threads",
        "Thread": "Core has no threads",
        "actor": "Core has no threads",
        "await": "Core has no threads",
        "SystemRandomNumberGenerator": "randomness comes from SeededRandom",
        "print": "Core has no output",
        "debugPrint": "Core has no output",
        "fatalError": "a bug traps by precondition or illegal(...), with state and event",
    ]
    private static let unseeded = ["random", "shuffled", "shuffle", "randomElement"]
    private static let floating = ["Double", "Float", "Float16", "Float32", "Float64", "CGFloat"]

    static func violations(in text: String, floatingPointAllowed: Bool) -> [Violation] {
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            breach(tokens, at: index, floatingPointAllowed: floatingPointAllowed)
                .map { Violation(line: tokens[index].line, what: $0) }
        }
    }

    private static func breach(_ tokens: [Token], at index: Int, floatingPointAllowed: Bool) -> String? {
        let token = tokens[index]
        let isMember = tokens.text(index - 1) == "."
        if token.kind == .number {
            let isFraction = token.text.contains(".") && !isMember
            return isFraction && !floatingPointAllowed ? "floating point outside Voice: \(token.text)" : nil
        }
        guard token.kind == .word else { return nil }
        if let why = words[token.text], !isMember, tokens.text(index + 1) != ":" { return "\(token.text): \(why)" }
        if floating.contains(token.text), !floatingPointAllowed { return "floating point outside Voice: \(token.text)" }
        if token.text == "now", isMember, readsClock(tokens, before: index - 1) { return ".now: Core has no clock" }
        if unseeded.contains(token.text), isMember, tokens.text(index + 1) == "(" {
            let end = tokens.closing(from: index + 1, "(", ")")
            let isSeeded = tokens[(index + 1)..<end].contains { $0.text == "using" }
            return isSeeded ? nil : "\(token.text) without `using:`"
        }
        if token.text == "throws", tokens.text(index + 1) != "(" { return "untyped throws" }
        return nil
    }

    /// `.now` alone or of a type reads a clock; `self.now` or `context.now` is a stored instant.
    private static func readsClock(_ tokens: [Token], before dot: Int) -> Bool {
        guard tokens[dot].isAttached, tokens.indices.contains(dot - 1), tokens[dot - 1].kind == .word else {
            return tokens.text(dot - 1) != ")" && tokens.text(dot - 1) != "]" && tokens.text(dot - 1) != "?"
        }
        return tokens.text(dot - 1).first?.isUppercase == true
    }
}
