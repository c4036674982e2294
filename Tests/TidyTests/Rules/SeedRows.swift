/// The page docs/SEEDS.md: a row for each feature, with the commands and files that show it.
enum SeedRows {
    /// The number of features of the apps at the beginning.
    static let count = 117

    /// - Parameter verbs: the words that follow `partyline` on its command line.
    static func violations(in text: String, verbs: Set<String>) -> [Violation] {
        var violations: [Violation] = []
        var number = 0
        for (line, content) in Shape.numbered(text) {
            violations += words(after: "`partyline ", in: content).filter { !verbs.contains($0) }
                .map { Violation(line: line, what: "names `partyline \($0)`, which is not there") }
            let cells = content.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.split(separator: " ").joined(separator: " ")
            }
            guard cells.count == 6, let found = Int(cells[1]) else { continue }
            number += 1
            if found != number { violations.append(Violation(line: line, what: "row \(found) stands at \(number)")) }
            if cells[3].isEmpty, cells[4] != "all" {
                violations.append(Violation(line: line, what: "row \(found) is shown by nothing"))
            }
        }
        guard number == count else { return violations + [Violation(line: 1, what: "\(number) rows of \(count)")] }
        return violations
    }

    /// The verbs that the sources of commands declare.
    static func verbs(in text: String) -> [String] { words(after: "commandName: \"", in: text[...]) }

    private static func words(after start: String, in text: Substring) -> [String] {
        text.ranges(of: start).map { range in
            String(text[range.upperBound...].prefix { $0.isLowercase || $0 == "-" })
        }
    }
}
