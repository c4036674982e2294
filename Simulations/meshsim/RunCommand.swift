import ArgumentParser
import MeshSimulator
import Primitives

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs one seed in two acts, or one scenario.")

    @OptionGroup var options: SeedOptions

    @Option(help: "The seed of all random values.")
    var seed: UInt64 = 1

    @OptionGroup(title: "Instead of what the seed draws") var drawn: DrawnOptions

    @Option(help: "A scenario to play instead, by name.")
    var scenario: String?

    @OptionGroup var place: ScenarioPlace

    @Option(help: ArgumentHelp("Faults of the drawn plan to leave out, by position.", valueName: "3,5"))
    var without: Positions?

    @OptionGroup var playing: PlayOptions

    func run() throws {
        if let scenario {
            try playScenario(scenario)
            return
        }
        let swarm = try drawn.options(seed: seed, nodes: options.nodes)
        if !options.json { print("options\n\(drawn.table(of: swarm))") }
        let omitted = without?.numbers ?? []
        let replay = replayLine(
            seed: seed, nodes: options.nodes, sealing: options.sealing, drawn: drawn.words, omitted: omitted)
        try playing.play(
            RunTape(drawnFor: swarm, omitting: omitted), sealing: options.sealing, replay: replay,
            isJSON: options.json
        ).end()
    }

    private func playScenario(_ name: String) throws {
        let file = try place.read(name)
        let isDetailed = playing.verbose || playing.trace
        let (outcome, cost) = try timed {
            try place.play(file, sealing: options.sealing.factory, isDetailed: isDetailed)
        }
        let differences = isDetailed ? [] : differences(between: file, and: outcome.played)
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

/// Options of a single run and its output.
struct PlayOptions: ParsableArguments {
    @Flag(help: "Run twice and compare the trace hashes.")
    var twice = false

    @Flag(help: "Show the faults, and for a scenario also dials and carriers.")
    var verbose = false

    @Flag(help: "Print faults, dials, carriers and events, to the microsecond.")
    var trace = false

    @Option(help: "Folder in which a failed run is kept as a file for `meshsim replay`.")
    var failures: String?

    /// - Parameter replay: the command that repeats this run.
    func play(_ tape: RunTape, sealing: SealingChoice, replay: String, isJSON: Bool) throws -> Outcome {
        let acts = TwoActs(tape, sealing: sealing.factory)
        let (report, cost) = timed { acts.run(isTraced: trace) }
        var outcome = Outcome(report.verdict)
        if twice, !acts.repeats(report) {
            outcome = .notRepeatable
            complain("seed \(report.seed) gave two different runs: \(replay)")
        }
        report.transcript.forEach { print($0) }
        if verbose { report.faults.enumerated().forEach { complain("fault \($0.offset)  \($0.element)") } }
        var kept: String?
        if let violation = report.violation {
            complain(failureText(report, commit: Revision.current, replay: replay))
            kept = try failures.map { folder in
                try RunFile(tape, sealing: sealing, violation: violation, commit: Revision.current).keep(in: folder)
            }
            if let kept { complain("  kept     meshsim replay \(kept)") }
        }
        let summary = Summary(
            traceHash: report.traceHash, outcome: outcome, seedsRun: 1,
            seedsFailed: outcome == .pass ? [] : [report.seed], counts: report.counts,
            virtualSeconds: report.virtualTime.asSeconds, busySeconds: cost.wallSeconds,
            processorSeconds: cost.processorSeconds, nodeSeconds: report.nodeTime.asSeconds,
            more: [
                ("seed", .integer(report.seed)), ("options", .text(report.options)),
                ("convergence_s", report.convergence.map { .decimal($0.asSeconds) } ?? .null),
                ("violation", report.violation.map { .text("\($0.checker): \($0.text)") } ?? .null),
                ("kept", kept.map { .text($0) } ?? .null),
            ])
        if isJSON {
            print(summary.json)
        } else {
            let convergence = report.convergence.map { "\(TimeText.text($0)) after the faults stopped" } ?? "never"
            print("clique       \(convergence)\n\(summary.text)")
        }
        return outcome
    }
}
