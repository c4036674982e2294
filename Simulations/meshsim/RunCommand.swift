import ArgumentParser
import MeshSimulator
import Primitives

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs one seed in two acts, or one scenario.")

    @OptionGroup var options: SeedOptions

    @Option(help: "The seed that everything is drawn from.")
    var seed: UInt64 = 1

    @Option(help: "A scenario to play instead, by name.")
    var scenario: String?

    @OptionGroup var place: ScenarioPlace

    @Option(
        help: "Faults of the drawn plan to leave out, by position.",
        transform: { text in
            try text.split(separator: ",").map { word in
                guard let number = Int(word) else { throw ValidationError("not a position: \(word)") }
                return number
            }
        })
    var without: [Int] = []

    @Flag(help: "Run twice and compare the trace hashes.")
    var twice = false

    @Flag(help: "Show the drawn faults; of a scenario, dials and carriers too.")
    var verbose = false

    @Flag(help: "Write down faults, dials, carriers and events, to the millisecond.")
    var trace = false

    func run() throws {
        if let scenario {
            try playScenario(scenario)
            return
        }
        let swarm = SwarmOptions(seed: seed, nodeCount: options.nodes)
        let acts = TwoActs(swarm, omitting: without, sealing: options.sealing.factory)
        let (report, cost) = timed { acts.run(isTraced: trace) }
        var outcome = Outcome(report.verdict)
        if twice, acts.run().traceHash != report.traceHash {
            outcome = .notRepeatable
            complain("seed \(seed) gave two different runs")
        }
        let summary = Summary(
            traceHash: report.traceHash, outcome: outcome, seedsRun: 1, seedsFailed: outcome == .pass ? [] : [seed],
            counts: report.counts, virtualSeconds: report.virtualTime.asSeconds,
            busySeconds: cost.wallSeconds, processorSeconds: cost.processorSeconds,
            more: [
                ("seed", .integer(seed)), ("options", .text(report.options)),
                ("convergence_s", report.convergence.map { .decimal($0.asSeconds) } ?? .null),
                ("violation", report.violation.map { .text("\($0.checker): \($0.text)") } ?? .null),
            ])
        report.transcript.forEach { print($0) }
        if verbose { report.faults.enumerated().forEach { complain("fault \($0.offset)  \($0.element)") } }
        if report.violation != nil {
            complain(failureText(report, nodes: options.nodes, sealing: options.sealing, omitted: without))
        }
        if options.json {
            print(summary.json)
        } else {
            let convergence = report.convergence.map { "\($0) after the faults stopped" } ?? "never"
            print("options      \(report.options)\nclique       \(convergence)\n\(summary.text)")
        }
        try outcome.end()
    }

    private func playScenario(_ name: String) throws {
        let file = try place.read(name)
        let (outcome, cost) = try timed {
            try place.play(file, sealing: options.sealing.factory, isDetailed: verbose)
        }
        let differences = verbose ? [] : differences(between: file, and: outcome.played)
        let end: Outcome = !outcome.failures.isEmpty ? .safety : differences.isEmpty ? .pass : .transcript
        let summary = Summary(
            traceHash: outcome.traceHash, outcome: end, seedsRun: 1, seedsFailed: [], counts: outcome.counts,
            virtualSeconds: outcome.virtualTime.asSeconds,
            busySeconds: cost.wallSeconds, processorSeconds: cost.processorSeconds,
            more: [("scenario", .text(name))])
        for failure in outcome.failures { complain("\(name): \(failure)") }
        for difference in differences { complain("\(name): \(difference)") }
        print(options.json ? summary.json : outcome.played.text + "\n" + summary.text)
        try end.end()
    }
}
