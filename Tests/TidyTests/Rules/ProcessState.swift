/// Finds state that two nodes in one process would share: variables of the process, and calls that read or change it.
enum ProcessState {
    /// Commands, Lab and the node of `partyline run` each have a process of their own. The flag of an interruption is
    /// for commands and the lab; no node reads it.
    private static let exempt = [
        "Sources/App/Commands/", "Sources/App/Lab/", "Sources/App/partyline/",
        "Sources/App/NodeRuntime/PartylineNode.swift", "Sources/App/NodeRuntime/Interruption.swift",
    ]
    private static let functions = [
        "getenv", "setenv", "signal", "sigaction", "setrlimit", "chdir", "umask", "setlocale", "mlockall",
    ]
    private static let types = ["ProcessInfo", "LoggingSystem"]
    private static let members = ["currentDirectoryPath", "singleton"]
    private static let cells = ["Atomic", "Mutex"]

    static func isChecked(_ path: String) -> Bool {
        path.hasPrefix("Sources/") && !exempt.contains(where: path.hasPrefix)
    }

    static func violations(in text: String) -> [Violation] {
        let tokens = SwiftTokens.tokens(of: text)
        var depth = 0
        return tokens.indices.compactMap { index in
            let token = tokens[index]
            if token.kind == .symbol, token.text == "{" { depth += 1 }
            if token.kind == .symbol, token.text == "}" { depth -= 1 }
            guard token.kind == .word else { return nil }
            return breach(tokens, at: index, isTopLevel: depth == 0).map { Violation(line: token.line, what: $0) }
        }
    }

    private static func breach(_ tokens: [Token], at index: Int, isTopLevel: Bool) -> String? {
        let (word, before) = (tokens[index].text, tokens.text(index - 1))
        let isCalled = tokens.text(index + 1) == "(" && before != "func"
        if functions.contains(word), isCalled, before != "." || tokens.text(index - 2) == "Glibc" {
            return "\(word): a node changes and reads nothing of its process"
        }
        if types.contains(word) { return "\(word): a node is given what it needs of its process" }
        if before == ".", members.contains(word) || word == "global" && tokens.text(index - 2) == "DispatchQueue" {
            return ".\(word): shared by all nodes of a process"
        }
        if word == "var", before == "static" || isTopLevel, isStored(tokens, after: index) {
            return "\(tokens.text(index + 1)): a variable of all nodes of a process"
        }
        if word == "let", before == "static" || isTopLevel {
            let name = tokens.text(index + 1)
            let declared = (index + 2..<index + 5).map(tokens.text)
            if name == "shared" || declared.contains(where: cells.contains) { return "\(name): shared by all nodes" }
        }
        return nil
    }

    /// Returns whether a variable is stored: a "=" comes before any "{".
    private static func isStored(_ tokens: [Token], after index: Int) -> Bool {
        tokens[index...].first { $0.kind == .symbol && ["=", "{"].contains($0.text) }?.text == "="
    }
}
