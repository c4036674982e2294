/// The results of an experiment over all its seeds.
package struct ExperimentReport: Sendable {
    package let experiment: Experiment
    package let summaries: [RowSummary]
    /// Violations that the checkers found, with seed and part.
    package let violations: [(seed: UInt64, part: String, violation: Violation)]

    package init(_ experiment: Experiment, reports: [PartReport]) {
        self.experiment = experiment
        let samples = reports.flatMap(\.samples)
        summaries = experiment.rows.map { row in RowSummary(row: row, samples: samples) }
        violations = reports.flatMap { report in
            report.violations.map { (report.seed, report.part, $0) }
        }
    }

    /// Rows whose hard bound was missed.
    package var missed: [RowSummary] { summaries.filter { $0.verdict == .boundMissed } }

    /// Returns the seeds for which the figure of a row is above its hard bound, or missing; for repeating them.
    package static func culprits(of row: ExperimentRow, in reports: [PartReport]) -> [UInt64] {
        guard let bound = row.hardBound else { return [] }
        return reports.filter { report in
            report.samples.contains { $0.row == row.key && ($0.figure.map { bound < $0 } ?? true) }
        }.map(\.seed)
    }

    /// A Markdown table.
    package var table: String {
        let isComparison = summaries.contains { $0.row.subject != nil }
        return TextTable(isComparison ? comparison : bounds).text
    }

    private var bounds: [[String]] {
        let hasPublished = summaries.contains { $0.row.published != nil }
        let head =
            ["", "what"] + (hasPublished ? ["published"] : []) + [
                "target", "bound", "p50", "p99", "worst", "runs", "verdict",
            ]
        return [head]
            + summaries.map { summary in
                let row = summary.row
                let published = hasPublished ? [row.published ?? ""] : []
                return [row.id, row.text] + published + [
                    row.target.map { row.text($0) } ?? "–", row.hardBound.map { row.text($0) } ?? "–", summary.text(50),
                    summary.text(99), summary.text(100), String(summary.count), summary.verdict.rawValue,
                ]
            }
    }

    /// One line for each figure. Each subject (a variant of the protocol that is compared) has three columns, and a
    /// fourth where sums are shown.
    private var comparison: [[String]] {
        var subjects: [String] = []
        var ids: [String] = []
        for row in experiment.rows {
            if let subject = row.subject, !subjects.contains(subject) { subjects.append(subject) }
            if !ids.contains(row.id) { ids.append(row.id) }
        }
        let hasPublished = summaries.contains { $0.row.published != nil }
        let head =
            ["what"] + (hasPublished ? ["published"] : [])
            + subjects.flatMap { ["\($0) p50", "p99", "worst"] + (experiment.showsTotals ? ["sum"] : []) } + ["runs"]
        return [head]
            + ids.map { id in
                let rows = summaries.filter { $0.row.id == id }
                let figures = subjects.flatMap { subject -> [String] in
                    guard let summary = rows.first(where: { $0.row.subject == subject }) else {
                        return ["–", "–", "–"] + (experiment.showsTotals ? ["–"] : [])
                    }
                    let total = experiment.showsTotals ? [summary.row.text(summary.total)] : []
                    return [summary.text(50), summary.text(99), summary.text(100)] + total
                }
                let published = hasPublished ? [rows.first?.row.published ?? ""] : []
                return [rows.first?.row.text ?? id] + published + figures + [String(rows.first?.count ?? 0)]
            }
    }
}

/// A table of text. Each column is as wide as its widest cell. The first row is the head.
struct TextTable {
    private let rows: [[String]]

    init(_ rows: [[String]]) { self.rows = rows }

    var text: String {
        guard let head = rows.first else { return "" }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(head), rule] + rows.dropFirst().map(line)).joined(separator: "\n")
    }
}
