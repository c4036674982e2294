import ArgumentParser
import Foundation
import MeshSimulator
import Primitives
import Synchronization

struct ExperimentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "experiment", abstract: "Measures the protocol over many seeds, and checks its bounds.",
        discussion: "Prints a Markdown table. Ends with 4 if a hard bound is missed, with 1 if a safety checker fails.")

    @Argument(help: "Which experiment; `--list` shows them.")
    var name: String?

    @Flag(help: "List the experiments.")
    var list = false

    @Option(help: "Seeds as A..B, both included; each experiment has its own default.")
    var seeds: SeedRange?

    @Option(help: "Only the parts with names that begin so (L5, L6/32).")
    var only: String?

    @OptionGroup var threads: JobsOption

    @Flag(help: "Print the events of every run, to the microsecond.")
    var trace = false

    @Flag(help: "Print one JSON document (schema partyline.experiment/1).")
    var json = false

    func validate() throws {
        if !list, name == nil { throw ValidationError("name an experiment, or give --list") }
        if let name, Experiment.named(name) == nil { throw ValidationError("no experiment is called \(name)") }
    }

    func run() throws {
        guard !list, let name, let experiment = Experiment.named(name) else {
            let width = Experiment.all.map(\.name.count).max() ?? 0
            for known in Experiment.all {
                print(known.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + known.summary)
            }
            return
        }
        let parts = experiment.parts.filter { only == nil || $0.name.hasPrefix(only ?? "") }
        guard !parts.isEmpty else { throw ValidationError("no part of \(name) begins with \(only ?? "")") }
        let chosen = Experiment(
            name: experiment.name, summary: experiment.summary, seeds: experiment.seeds, parts: parts,
            showsTotals: experiment.showsTotals)
        let runs = ExperimentRuns(chosen, seeds: seeds.map { $0.first...$0.last } ?? experiment.seeds, isTraced: trace)
        let (reports, cost) = timed { runs.run(jobs: threads.jobs) }
        for line in reports.flatMap(\.transcript) { print(line) }
        let report = ExperimentReport(chosen, reports: reports)
        print(json ? document(report, runs: reports.count) : report.table)
        complain("\(reports.count) runs in \(Int(cost.wallSeconds.rounded())) s")
        try judge(report, reports)
    }

    private func judge(_ report: ExperimentReport, _ reports: [PartReport]) throws {
        for (seed, part, violation) in report.violations {
            complain("seed \(seed), \(part): \(violation.checker) at \(violation.at): \(violation.text)")
        }
        for summary in report.missed {
            let seeds = ExperimentReport.culprits(of: summary.row, in: reports).prefix(20)
            complain("\(summary.row.id) missed its bound; seeds \(seeds.map(String.init).joined(separator: " "))")
        }
        if report.violations.contains(where: { $0.violation.kind == .safety }) { try Outcome.safety.end() }
        if !report.missed.isEmpty || !report.violations.isEmpty { try Outcome.liveness.end() }
    }

    private func document(_ report: ExperimentReport, runs: Int) -> String {
        let rows = report.summaries.map { summary -> JSONText in
            func figure(_ percent: Int) -> JSONText {
                summary.quantile(percent).map { .decimal(scaled($0, summary.row.unit)) } ?? .null
            }
            return .object([
                ("id", .text(summary.row.id)), ("subject", summary.row.subject.map { .text($0) } ?? .null),
                ("what", .text(summary.row.text)), ("unit", .text(summary.row.unit.rawValue)),
                ("target", summary.row.target.map { .decimal(scaled($0, summary.row.unit)) } ?? .null),
                ("bound", summary.row.hardBound.map { .decimal(scaled($0, summary.row.unit)) } ?? .null),
                ("p50", figure(50)), ("p99", figure(99)), ("worst", figure(100)),
                ("runs", .integer(UInt64(summary.count))), ("never", .integer(UInt64(summary.neverCount))),
                ("verdict", .text(summary.verdict.rawValue.lowercased())),
            ])
        }
        return JSONText.object([
            ("schema", .text("partyline.experiment/1")), ("experiment", .text(report.experiment.name)),
            ("runs", .integer(UInt64(runs))), ("violations", .integer(UInt64(report.violations.count))),
            ("rows", .list(rows)),
        ]).line
    }

    /// Returns times in seconds, and all other figures unchanged.
    private func scaled(_ figure: Int64, _ unit: ExperimentRow.Unit) -> Double {
        unit == .seconds ? Double(figure) / 1e9 : Double(figure)
    }
}

/// Runs each part of an experiment, on several threads, for the seeds that the part accepts: every seed, or one in
/// `oneSeedIn`. The result does not depend on the number of threads.
private final class ExperimentRuns: Sendable {
    private struct State {
        var next = 0
        var reports: [(order: Int, report: PartReport)] = []
    }

    private let experiment: Experiment
    private let isTraced: Bool
    private let work: [(part: Int, seed: UInt64)]
    private let state = Mutex(State())

    init(_ experiment: Experiment, seeds: ClosedRange<UInt64>, isTraced: Bool) {
        self.isTraced = isTraced
        self.experiment = experiment
        work = seeds.flatMap { seed in
            experiment.parts.indices.filter { experiment.parts[$0].runs(seed: seed) }.map { ($0, seed) }
        }
    }

    func run(jobs: Int) -> [PartReport] {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let order = take() {
                let (part, seed) = work[order]
                let report = experiment.parts[part].run(
                    seed: seed, sealing: WorldOptions.transparentSealing, isTraced: isTraced)
                state.withLock { $0.reports.append((order, report)) }
                showProgress(order)
            }
        }
        return state.withLock { $0.reports }.sorted { $0.order < $1.order }.map(\.report)
    }

    private func take() -> Int? {
        state.withLock { state in
            guard state.next < work.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func showProgress(_ order: Int) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(order + 1) of \(work.count) runs\r".utf8))
    }
}
