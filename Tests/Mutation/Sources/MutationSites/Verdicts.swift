/// Mutants that were shown to be no faults: nothing that a user, a peer or a person with a clock could see differs.
///
/// An entry of `verdicts.txt` is four lines and an empty one: file, operator, the source line, `original → mutated`,
/// and then why. Numbers of lines are not part of it, so it outlives edits elsewhere in the file.
package struct Verdicts: Sendable {
    package enum Trouble: Error, CustomStringConvertible {
        case incomplete(line: Int)

        package var description: String {
            switch self {
            case .incomplete(let line):
                "verdicts.txt, line \(line): an entry is file, operator, source line, change and reason"
            }
        }
    }

    private var reasons: [[String]: String] = [:]

    package init(_ text: String) throws(Trouble) {
        var entry: [String] = []
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            number += 1
            if line.hasPrefix("#") { continue }
            guard line.isEmpty else {
                entry.append(line)
                continue
            }
            guard !entry.isEmpty else { continue }
            guard entry.count >= 5 else { throw .incomplete(line: number) }
            reasons[Array(entry[..<4])] = entry[4...].joined(separator: " ")
            entry = []
        }
    }

    /// Why the mutant is none; nil where nobody has shown it.
    package func reason(of site: MutationSite) -> String? { reasons[Verdicts.key(of: site)] }

    /// Entries that belong to none of these sites any more: the line has changed.
    package func stale(among sites: [MutationSite]) -> [[String]] {
        let known = Set(sites.map(Verdicts.key))
        return reasons.keys.filter { !known.contains($0) }.sorted { $0.joined() < $1.joined() }
    }

    /// What an entry begins with.
    package static func key(of site: MutationSite) -> [String] {
        [site.file, site.mutation.rawValue, site.lineText, site.change]
    }
}
