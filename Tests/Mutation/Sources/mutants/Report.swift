import Foundation
import MutationSites

/// What a sample says of the net.
struct Report {
    let mutants: [(number: Int, site: MutationSite)]
    let results: ResultFile
    let verdicts: Verdicts
    let refusedCount: Int

    private func line(_ mutant: (number: Int, site: MutationSite)) -> ResultFile.Line? { results.lines[mutant.number] }
    private func isKilled(_ mutant: (number: Int, site: MutationSite)) -> Bool { line(mutant)?.stage.isEmpty == false }
    private func isEquivalent(_ mutant: (number: Int, site: MutationSite)) -> Bool {
        !isKilled(mutant) && verdicts.reason(of: mutant.site) != nil
    }

    /// Survivors that nobody has shown to be no faults.
    var open: [(number: Int, site: MutationSite)] {
        mutants.filter { line($0) != nil && !isKilled($0) && !isEquivalent($0) }
    }

    func text() -> String {
        var lines = ["\(refusedCount) sites of the draw do not compile as mutants; others took their places", ""]
        lines.append(row("", "mutants", "killed", "equivalent", "score"))
        lines.append(scoreRow("all", mutants))
        for module in Set(mutants.map(\.site.module)).sorted() {
            lines.append(scoreRow(module, mutants.filter { $0.site.module == module }))
        }
        for mutation in MutationOperator.allCases {
            let some = mutants.filter { $0.site.mutation == mutation }
            if !some.isEmpty { lines.append(scoreRow(mutation.rawValue, some)) }
        }
        lines += ["", "killed by"]
        for stage in Set(results.lines.values.flatMap(\.verdicts.keys)).sorted() {
            let asked = mutants.compactMap { line($0)?.verdicts[stage] }
            let first = mutants.count { line($0)?.stage == stage }
            lines.append("  \(stage): \(asked.count { $0 }) of \(asked.count) asked, \(first) before any other")
        }
        let times = mutants.filter(isKilled).compactMap { line($0)?.seconds }.sorted()
        if let last = times.last {
            lines.append(
                "seconds until killed: \(tenths(times[times.count / 2])) in the median, \(tenths(last)) at most")
        }
        lines += ["", "survivors"]
        for mutant in mutants where line(mutant) != nil && !isKilled(mutant) {
            lines += Verdicts.key(of: mutant.site).enumerated().map { ($0 == 0 ? "" : "  ") + $1 }
            lines.append("  line \(mutant.site.line): " + (verdicts.reason(of: mutant.site) ?? "NO VERDICT"))
        }
        return lines.joined(separator: "\n")
    }

    private func scoreRow(_ name: String, _ some: [(number: Int, site: MutationSite)]) -> String {
        let judged = some.filter { line($0) != nil }
        let (killed, equivalent) = (judged.count(where: isKilled), judged.count(where: isEquivalent))
        let counted = judged.count - equivalent
        let score = counted == 0 ? "-" : "\(tenths(100 * Double(killed) / Double(counted))) %"
        return row(name, String(judged.count), String(killed), String(equivalent), score)
    }

    private func row(_ cells: String...) -> String {
        zip(cells, [16, 9, 9, 12, 8]).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
            .joined()
    }
}
