import ArgumentParser
import MeshSimulator
import Primitives

struct SwarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swarm", abstract: "Runs many seeds, each with its own faults and network.")

    @OptionGroup var options: SeedOptions

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange

    @OptionGroup var threads: JobsOption

    @OptionGroup(title: "Instead of what each seed draws") var drawn: DrawnOptions

    @Flag(help: "Run every 100th seed twice and compare the trace hashes.")
    var checkRepeatable = false

    @Flag(help: "Run each seed twice and compare the trace hashes.")
    var twice = false

    @Option(help: "Folder in which failed runs are kept as files for `meshsim replay`.")
    var failures: String?

    @Option(help: ArgumentHelp("Begin no more seeds after this number of failures.", valueName: "count"))
    var stopAfter: Int?

    func validate() throws {
        if let stopAfter, stopAfter < 1 { throw ValidationError("--stop-after must be 1 or more") }
        _ = try drawn.options(seed: seeds.first, nodes: options.nodes)
    }

    func run() throws {
        let swarm = Swarm(self)
        let totals = swarm.run(jobs: threads.jobs)
        if let trouble = totals.trouble { throw trouble }
        let more: [(String, JSONText)] = [
            ("commit", Revision.current.map { .text($0) } ?? .null),
            ("repeated", .integer(totals.repeated)), ("distributions", totals.spreads.json),
        ]
        let summary = Summary(
            traceHash: TraceHash(combining: totals.hashSum), outcome: totals.worst, seedsRun: totals.done,
            seedsFailed: totals.failed.sorted(), counts: totals.counts,
            virtualSeconds: totals.virtualTime.asSeconds, busySeconds: totals.cost.wallSeconds,
            processorSeconds: totals.cost.processorSeconds, nodeSeconds: totals.nodeTime.asSeconds,
            more: totals.spreads.flatFields + more)
        if options.json {
            print(summary.json)
        } else {
            print(totals.spreads.table + "\n\n" + summary.text)
            if 0 < totals.repeated { print("repeated     \(totals.repeated) seeds run twice") }
        }
        try totals.worst.end()
    }
}
