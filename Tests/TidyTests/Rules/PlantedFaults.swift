/// The page Tests/Mutation/handmade.txt: faults, each with the lines of the sources that it replaces.
enum PlantedFaults {
    /// Finds replaced text that is gone from its file, so that the fault can no longer be planted.
    ///
    /// - Parameter source: the text of a file; nil if there is no such file.
    static func violations(in text: String, source: (String) -> String?) -> [Violation] {
        var violations: [Violation] = []
        var path = ""
        for (line, content) in Shape.numbered(text) {
            if content.hasPrefix("Sources/") { path = String(content) }
            guard content.hasPrefix("- ") else { continue }
            let replaced = content.dropFirst(2)
            if source(path)?.contains(replaced) != true {
                violations.append(Violation(line: line, what: "\(path) does not have `\(replaced)`"))
            }
        }
        return violations
    }
}
