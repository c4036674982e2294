/// Comments and documents refer to sections and decisions: `docs/WIRE.md, "Carrier frames"`, `decision 016`. Each must
/// be there.
enum NamedSections {
    /// - Parameters:
    ///   - headings: the headings of a document by its path, empty where there is no such document.
    ///   - decisions: the numbers of all decision notes, as in their file names.
    static func violations(
        in text: String, headings: (String) -> [String], decisions: Set<String>
    ) -> [Violation] {
        guard text.contains("docs/") || text.contains("ecision ") else { return [] }
        let (prose, lines) = joined(text)
        var found: [Violation] = []
        for reference in references(in: prose) where !headings(reference.document).contains(reference.section) {
            found.append(
                Violation(
                    line: lines[reference.at],
                    what: "\(reference.document) has no section \"\(reference.section)\""))
        }
        for (number, at) in decisionNumbers(in: prose) where !decisions.contains(number) {
            found.append(Violation(line: lines[at], what: "there is no decision \(number)"))
        }
        return found
    }

    /// The headings of a document, without their marks.
    static func headings(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("#") }
            .map { String($0.drop { $0 == "#" }.drop { $0 == " " }) }
    }

    /// The text as one line, without the marks of comments, and the line that each character came from. A reference
    /// may be broken over two lines.
    private static func joined(_ text: String) -> (prose: [Character], lines: [Int]) {
        var prose: [Character] = []
        var lines: [Int] = []
        for (line, content) in Shape.numbered(text) {
            let body = content.drop { " /#*".contains($0) }
            prose += Array(body) + [" "]
            lines += Array(repeating: line, count: body.count + 1)
        }
        return (prose, lines)
    }

    private static func references(in prose: [Character]) -> [(document: String, section: String, at: Int)] {
        places(of: "docs/", in: prose).compactMap { start in
            let name = prose[start...].prefix { $0 != "," && $0 != " " && $0 != "`" }
            let rest = prose[(start + name.count)...].drop { $0 == "`" }
            guard String(name).hasSuffix(".md"), rest.starts(with: ", \"") else { return nil }
            let section = rest.dropFirst(3).prefix { $0 != "\"" }
            return (String(name), String(section), start)
        }
    }

    private static func decisionNumbers(in prose: [Character]) -> [(number: String, at: Int)] {
        places(of: "ecision ", in: prose).compactMap { start in
            let number = prose[(start + 8)...].prefix { $0.isNumber }
            return number.isEmpty ? nil : (String(number), start)
        }
    }

    private static func places(of word: String, in prose: [Character]) -> [Int] {
        let word = Array(word)
        return prose.indices.filter { prose[$0] == word[0] && prose[$0...].starts(with: word) }
    }
}
