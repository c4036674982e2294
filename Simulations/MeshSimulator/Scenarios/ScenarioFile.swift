/// An error in a scenario or seed file, with its line.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1.
    package var line: Int
    package var text: String

    package init(line: Int, text: String) {
        self.line = line
        self.text = text
    }

    package var description: String { "line \(line): \(text)" }
}

/// A scenario as text: commands after `> `, observed lines indented below each command, comments after `#`.
///
/// ```
/// # One guest joins a host.
/// > nodes host guest
/// > start host guest
/// > expect clique host guest within 2s
///     0.1s  host: guest up, instance 1
/// ```
/// The form is that of CockroachDB's datadriven tests: a golden transcript that reads as a story. `meshsim bless`
/// writes the observed lines into the file.
package struct ScenarioFile: Hashable, Sendable {
    package enum Item: Hashable, Sendable {
        /// A comment or an empty line, kept as it is.
        case prose(String)
        case command(String, line: Int, transcript: [String])
    }

    package var name: String
    package var items: [Item]

    package init(name: String, items: [Item]) {
        self.name = name
        self.items = items
    }

    /// Parses the text of a scenario.
    /// - Throws: `ScenarioError` for the first line that is neither command, transcript nor comment, or that is a
    ///   transcript without a command before it.
    package init(name: String, parsing text: String) throws(ScenarioError) {
        self.name = name
        items = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("> ") {
                items.append(.command(String(line.dropFirst(2)), line: index + 1, transcript: []))
            } else if line.hasPrefix("    ") {
                guard case .command(let command, let number, let transcript)? = items.last else {
                    throw ScenarioError(line: index + 1, text: "a transcript without a command before it")
                }
                items[items.count - 1] = .command(
                    command, line: number, transcript: transcript + [String(line.dropFirst(4))])
            } else if line.isEmpty || line.hasPrefix("#") {
                items.append(.prose(line))
            } else {
                throw ScenarioError(line: index + 1, text: "neither `> command`, transcript nor `# comment`: \(line)")
            }
        }
    }

    /// The file's text.
    package var text: String {
        var out = ""
        for item in items {
            switch item {
            case .prose(let line): out += line + "\n"
            case .command(let command, _, let transcript):
                out += "> \(command)\n"
                for line in transcript { out += "    \(line)\n" }
            }
        }
        return out
    }

    /// The first comment, which says what the scenario is about.
    package var title: String {
        for case .prose(let line) in items where line.hasPrefix("#") {
            return String(line.drop { $0 == "#" || $0 == " " })
        }
        return ""
    }

    /// Names of the nodes, from the first `nodes` command; empty without one.
    package var nodeNames: [String] {
        for case .command(let text, _, _) in items {
            if case .nodes(let names)? = ScenarioCommand(text) { return names }
        }
        return []
    }
}
