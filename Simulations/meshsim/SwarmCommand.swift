import ArgumentParser
import Foundation
import MeshSimulator
import Primitives
import Synchronization

/// `A..B`, both ends included.
struct SeedRange: ExpressibleByArgument {
    let first: UInt64
    let last: UInt64

    init?(argument: String) {
        guard let dots = argument.range(of: ".."), let first = UInt64(argument[..<dots.lowerBound]),
            let last = UInt64(argument[dots.upperBound...]), first <= last, last - first < 100_000_000
        else { return nil }
        self.first = first
        self.last = last
    }

    var count: UInt64 { last - first + 1 }
}

struct SwarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swarm", abstract: "Runs many seeds, each with its own faults and network.")

    @OptionGroup var options: SeedOptions

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange

    @Option(help: "Seeds that run at once.")
    var jobs = 1

    @Flag(help: "Run each seed twice and compare the trace hashes.")
    var twice = false

    func validate() throws {
        if !(1...256).contains(jobs) { throw ValidationError("--jobs must be 1 to 256") }
    }

    func run() throws {
        let swarm = Swarm(options: options, seeds: seeds, isTwice: twice)
        let results = swarm.run(jobs: jobs)
        var hash = TraceHash(seed: 0)
        var counts = WorldCounts()
        var virtualSeconds = 0.0
        var cost = Cost()
        var failed: [UInt64] = []
        var worst = Outcome.pass
        var convergence: [Interval] = []
        var quietness: [Interval] = []
        for result in results {
            hash.add(result.report.traceHash.value)
            counts.add(result.report.counts)
            virtualSeconds += result.report.virtualTime.asSeconds
            cost.wallSeconds += result.cost.wallSeconds
            cost.processorSeconds += result.cost.processorSeconds
            if let time = result.report.convergence { convergence.append(time) }
            if let time = result.report.quietness { quietness.append(time) }
            guard result.outcome != .pass else { continue }
            failed.append(result.report.seed)
            worst = worst == .safety ? .safety : result.outcome
        }
        convergence.sort()
        quietness.sort()
        let summary = Summary(
            traceHash: hash, outcome: worst, seedsRun: seeds.count, seedsFailed: failed, counts: counts,
            virtualSeconds: virtualSeconds, busySeconds: cost.wallSeconds,
            processorSeconds: cost.processorSeconds,
            more: [
                ("convergence_p50_s", quantile(convergence, 50)), ("convergence_p99_s", quantile(convergence, 99)),
                ("convergence_max_s", quantile(convergence, 100)),
                ("quiet_p50_s", quantile(quietness, 50)), ("quiet_p99_s", quantile(quietness, 99)),
                ("quiet_max_s", quantile(quietness, 100)),
            ])
        if options.json {
            print(summary.json)
        } else {
            print("clique       \(spread(convergence)) after the faults stopped")
            print("quiet        \(spread(quietness)): the last invitation")
            print(summary.text)
        }
        try worst.end()
    }

    private func spread(_ sorted: [Interval]) -> String {
        let figures = [50, 99, 100].map { quantile(sorted, $0).line }
        return "p50 \(figures[0]) s, p99 \(figures[1]) s, max \(figures[2]) s"
    }

    private func quantile(_ sorted: [Interval], _ percent: Int) -> JSONText {
        guard !sorted.isEmpty else { return .null }
        return .decimal(sorted[(sorted.count - 1) * percent / 100].asSeconds)
    }
}

/// Runs seeds on several threads; the results do not depend on how many.
private final class Swarm: Sendable {
    struct Result {
        let report: RunReport
        let outcome: Outcome
        let cost: Cost
    }

    private struct State {
        var next: UInt64
        var done: UInt64 = 0
        var results: [Result] = []
    }

    private let nodes: Int?
    private let sealing: SealingChoice
    private let seeds: SeedRange
    private let isTwice: Bool
    private let showsProgress: Bool
    private let state: Mutex<State>

    init(options: SeedOptions, seeds: SeedRange, isTwice: Bool) {
        nodes = options.nodes
        sealing = options.sealing
        self.seeds = seeds
        self.isTwice = isTwice
        showsProgress = isatty(STDERR_FILENO) == 1
        state = Mutex(State(next: seeds.first))
    }

    /// Results in the order of their seeds.
    func run(jobs: Int) -> [Result] {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let seed = takeSeed() { finish(result(of: seed)) }
        }
        if showsProgress { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        return state.withLock { $0.results }.sorted { $0.report.seed < $1.report.seed }
    }

    private func takeSeed() -> UInt64? {
        state.withLock { state in
            guard state.next <= seeds.last else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func result(of seed: UInt64) -> Result {
        let choice = SealingChoice.inSwarm(sealing, seed: seed)
        let acts = TwoActs(SwarmOptions(seed: seed, nodeCount: nodes), sealing: choice.factory)
        let (report, cost) = timed { acts.run() }
        var outcome = Outcome(report.verdict)
        if isTwice, acts.run().traceHash != report.traceHash {
            outcome = .notRepeatable
            complain("seed \(seed) gave two different runs")
        }
        if report.violation != nil { complain(failureText(report, nodes: nodes, sealing: choice)) }
        return Result(report: report, outcome: outcome, cost: cost)
    }

    private func finish(_ result: Result) {
        let done = state.withLock { state in
            state.results.append(result)
            state.done += 1
            return state.done
        }
        guard showsProgress else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(done) of \(seeds.count) seeds".utf8))
    }
}
