import MeshSimulator
import Primitives
import Testing

@Suite("Experiments")
struct ExperimentTests {
    private static let row = ExperimentRow(
        "X", "something", target: .seconds(1), hard: .seconds(2), published: "3 s")

    private func summary(_ milliseconds: [Int64?]) -> RowSummary {
        RowSummary(
            row: Self.row,
            samples: milliseconds.map { Sample(row: Self.row.key, figure: $0.map { $0 * 1_000_000 }) })
    }

    @Test("the 99th of a hundred must meet the target and the worst the bound; a missing figure misses both")
    func verdicts() {
        #expect(summary(Array(repeating: 900, count: 99) + [1_900]).verdict == .good)
        #expect(summary(Array(repeating: 900, count: 98) + [1_100, 1_900]).verdict == .targetMissed)
        #expect(summary(Array(repeating: 900, count: 99) + [2_100]).verdict == .boundMissed)
        #expect(summary([900, nil]).verdict == .boundMissed)
        #expect(summary([]).verdict == .empty)
    }

    @Test("quantiles are figures that occurred, and a run without an end comes last")
    func quantiles() {
        let summary = summary([400, nil, 100, 300, 200])
        #expect(summary.quantile(50) == 300_000_000)
        #expect(summary.quantile(100) == nil)
        #expect(summary.text(20) == "0.100")
        #expect(summary.text(99) == "never")
    }

    @Test("figures are shown in their unit")
    func figures() {
        func text(_ unit: ExperimentRow.Unit, _ figure: Int64) -> String {
            ExperimentRow("X", "", unit: unit).text(figure)
        }
        #expect(text(.seconds, 1_234_567_890) == "1.235")
        #expect(text(.seconds, 400_000) == "0.000")
        #expect(text(.hundredths, 153) == "1.53")
        #expect(text(.hundredths, -5) == "-0.05")
        #expect(text(.count, 12) == "12")
    }

    @Test("every experiment has its own name, parts and rows")
    func names() {
        #expect(Set(Experiment.all.map(\.name)).count == Experiment.all.count)
        for experiment in Experiment.all {
            #expect(!experiment.parts.isEmpty && !experiment.rows.isEmpty, "\(experiment.name)")
            #expect(Experiment.named(experiment.name)?.summary == experiment.summary)
        }
    }

    @Test("the bounds hold on two seeds, and a seed gives the same figures again", arguments: [1, 2] as [UInt64])
    func bounds(seed: UInt64) throws {
        let bounds = try #require(Experiment.named("bounds"))
        let parts = bounds.parts.filter { $0.runs(seed: seed) }
        let reports = parts.map { $0.run(seed: seed, sealing: WorldOptions.transparentSealing) }
        for report in reports { #expect(report.violations.isEmpty, "\(report.part)") }
        let report = ExperimentReport(bounds, reports: reports)
        #expect(report.missed.isEmpty, "\(report.missed.map(\.row.id))")
        let again = try #require(parts.first).run(seed: seed, sealing: WorldOptions.transparentSealing)
        #expect(again.samples == reports[0].samples)
    }

    @Test("a bound that is missed is found, with its seed")
    func missed() {
        let row = ExperimentRow("never", "what never happens", hard: .seconds(1))
        let part = ExperimentPart("never", rows: [row]) { stage in stage.record(row, nil as Interval?) }
        let experiment = Experiment(name: "never", summary: "", seeds: 1...1, parts: [part])
        let reports = [part.run(seed: 7, sealing: WorldOptions.transparentSealing)]
        let report = ExperimentReport(experiment, reports: reports)
        #expect(report.missed.map(\.row.id) == ["never"])
        #expect(ExperimentReport.culprits(of: row, in: reports) == [7])
        #expect(report.table.contains("BOUND MISSED"))
    }
}
