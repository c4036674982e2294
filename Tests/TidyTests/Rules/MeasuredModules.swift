/// Benchmarks/Package.swift compiles a few modules once more: each on what the product's manifest says that it
/// stands on. Nobody notices otherwise before somebody measures, for it is a package of its own.
enum MeasuredModules {
    static func violations(in benchmarks: String, product: String) -> [Violation] {
        let built = declarations(in: product)
        return declarations(in: benchmarks).compactMap { name, measured in
            guard let dependencies = built[name]?.dependencies else { return nil }
            let missing = dependencies.subtracting(measured.dependencies).sorted()
            let added = measured.dependencies.subtracting(dependencies).sorted()
            if missing.isEmpty, added.isEmpty { return nil }
            let what = "\(name) lacks [\(missing.joined(separator: ", "))] and has [\(added.joined(separator: ", "))]"
            return Violation(line: measured.line, what: what)
        }.sorted { $0.line < $1.line }
    }

    /// By name, what each `module(…)` and `.target(…)` names in its first brackets.
    private static func declarations(in manifest: String) -> [String: (line: Int, dependencies: Set<String>)] {
        let declaration = /(?:module\(|\.target\()\s*(?:name: )?"(\w+)",[^\[\]]*\[([^\]]*)\]/
        return manifest.matches(of: declaration).reduce(into: [:]) { found, match in
            let line = 1 + manifest[..<match.range.lowerBound].count { $0.isNewline }
            let names = match.2.split(separator: ",").map { $0.filter { !$0.isWhitespace && $0 != "\"" } }
            found[String(match.1)] = (line, Set(names))
        }
    }
}
