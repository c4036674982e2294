/// Documents and comments name files; the files must be there.
enum NamedFiles {
    private static let roots = ["Sources/", "Tests/", "Simulations/", "Benchmarks/", "docs/", ".ci/"]

    /// - Parameter exists: whether a path, relative to the repository's root, is there.
    static func violations(in text: String, exists: (String) -> Bool) -> [Violation] {
        Shape.numbered(text).flatMap { line, content in
            paths(in: content).filter { !exists($0) }
                .map { Violation(line: line, what: "names \($0), which is not there") }
        }
    }

    /// Everything in `line` that reads as a path from the root: `docs/WIRE.md`, `Sources/Core/Mesh`.
    static func paths(in line: Substring) -> [String] {
        let allowed: (Character) -> Bool = { $0.isLetter || $0.isNumber || "/._-+*".contains($0) }
        return line.split { !allowed($0) }.compactMap { piece in
            guard roots.contains(where: piece.hasPrefix), !piece.contains("*"), !piece.contains("...") else {
                return nil
            }
            var path = String(piece)
            while let last = path.last, ".-_/".contains(last) { path.removeLast() }
            return path.contains("/") ? path : nil
        }
    }
}
