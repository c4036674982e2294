import Dispatch
import MeshSimulator
import Primitives
import Synchronization

/// The results of the runs of a swarm: sums, which do not depend on the order in which runs end.
struct SwarmTotals {
    var done: UInt64 = 0
    var repeated: UInt64 = 0
    var failed: [UInt64] = []
    var worst = Outcome.pass
    var counts = WorldCounts()
    var virtualTime = Interval.zero
    var nodeTime = Interval.zero
    var cost = Cost()
    var hashSum: UInt64 = 0
    var spreads = Spreads()
    /// Set if a failed run could not be written to a file.
    var trouble: FileTrouble?

    mutating func add(_ report: RunReport, _ outcome: Outcome, _ cost: Cost) {
        done += 1
        counts.add(report.counts)
        virtualTime += report.virtualTime
        nodeTime += report.nodeTime
        self.cost.add(cost)
        hashSum ^= report.traceHash.word(ofSeed: report.seed)
        spreads.add(report)
        worst = worst.worse(outcome)
        if outcome != .pass { failed.append(report.seed) }
    }
}

/// Runs seeds on several threads. The results do not depend on the number of threads, except with `--stop-after`.
final class Swarm: Sendable {
    /// The number of failures that are described in full. Each further one gets a line.
    private static let fullFailuresMax = 20

    private struct State {
        var next: UInt64
        var totals = SwarmTotals()
    }

    private let nodes: Int?
    private let sealing: SealingChoice
    private let seeds: SeedRange
    private let drawn: DrawnOptions
    private let repeatEvery: UInt64?
    private let failuresFolder: String?
    private let failuresMax: Int
    private let beganAt = Clocks.wall()
    private let state: Mutex<State>

    init(_ command: SwarmCommand) {
        nodes = command.options.nodes
        sealing = command.options.sealing
        seeds = command.seeds
        drawn = command.drawn
        repeatEvery = command.twice ? 1 : command.checkRepeatable ? 100 : nil
        failuresFolder = command.failures
        failuresMax = command.stopAfter ?? .max
        state = Mutex(State(next: command.seeds.first))
    }

    func run(jobs: Int) -> SwarmTotals {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let seed = takeSeed() { play(seed) }
        }
        ProgressLine.shared.clear()
        return state.withLock { $0.totals }
    }

    private func takeSeed() -> UInt64? {
        state.withLock { state in
            guard state.next <= seeds.last, state.totals.failed.count < failuresMax, state.totals.trouble == nil
            else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func play(_ seed: UInt64) {
        let choice = SealingChoice.inSwarm(sealing, seed: seed)
        let options: SwarmOptions
        do {
            options = try drawn.options(seed: seed, nodes: nodes)
        } catch {
            complain(leftOutText(seed: seed, because: "\(error)"))
            return
        }
        let acts = TwoActs(options, sealing: choice.factory)
        let (report, cost) = timed { acts.run() }
        var outcome = Outcome(report.verdict)
        let isRepeated = repeatEvery.map { (seed - seeds.first) % $0 == 0 } ?? false
        let repeats = !isRepeated || acts.repeats(report)
        if !repeats { outcome = .notRepeatable }
        let text = state.withLock { state in
            state.totals.add(report, outcome, cost)
            if isRepeated { state.totals.repeated += 1 }
            return progress(state.totals)
        }
        let replay = replayLine(seed: seed, nodes: nodes, sealing: choice, drawn: drawn.words)
        if !repeats { complain("seed \(seed) gave two different runs: \(replay) --twice") }
        if report.violation != nil { tell(report, acts.tape, choice, replay: replay) }
        ProgressLine.shared.show(text.line)
    }

    private func tell(_ report: RunReport, _ tape: RunTape, _ sealing: SealingChoice, replay: String) {
        let isFull = state.withLock { $0.totals.failed.count <= Self.fullFailuresMax }
        complain(
            isFull
                ? failureText(report, commit: Revision.current, replay: replay)
                : "seed \(report.seed) FAILED: \(report.violation?.checker ?? ""); \(replay)")
        guard let failuresFolder else { return }
        do {
            let kept = RunFile(tape, sealing: sealing, violation: report.violation, commit: Revision.current)
            complain("  kept     meshsim replay \(try kept.keep(in: failuresFolder))")
        } catch {
            state.withLock { $0.totals.trouble = error as? FileTrouble ?? FileTrouble(text: "\(error)") }
        }
    }

    private func progress(_ totals: SwarmTotals) -> SwarmProgress {
        SwarmProgress(
            done: totals.done, total: seeds.count, failed: totals.failed.count, events: totals.counts.events,
            virtualSeconds: totals.virtualTime.asSeconds, busySeconds: totals.cost.wallSeconds,
            elapsedSeconds: Clocks.wall() - beganAt)
    }
}

/// Returns the message about a seed that a swarm leaves out. The options are valid for the first seed, so one of them
/// names a node that this seed does not draw.
/// - Parameter reason: the option that was refused, and its form.
package func leftOutText(seed: UInt64, because reason: String) -> String {
    "seed \(seed) left out, it has fewer nodes: \(reason)"
}

/// The progress of a swarm.
package struct SwarmProgress {
    package var done: UInt64
    package var total: UInt64
    package var failed: Int
    package var events: UInt64
    package var virtualSeconds: Double
    /// Time in which runs were computed, summed over jobs.
    package var busySeconds: Double
    package var elapsedSeconds: Double

    package init(
        done: UInt64, total: UInt64, failed: Int, events: UInt64, virtualSeconds: Double, busySeconds: Double,
        elapsedSeconds: Double
    ) {
        self.done = done
        self.total = total
        self.failed = failed
        self.events = events
        self.virtualSeconds = virtualSeconds
        self.busySeconds = busySeconds
        self.elapsedSeconds = elapsedSeconds
    }

    /// Returns one line: seeds done and failed, seeds a second, events a second and ratio to real time of one core,
    /// time left at this rate.
    package var line: String {
        let busy = max(busySeconds, 1e-9)
        let rate = Double(done) / max(elapsedSeconds, 1e-9)
        return "\(done)/\(total) seeds, \(failed) failed, \(tenths(rate)) seeds/s, "
            + "\(Int(Double(events) / busy / 1_000))k events/s a core, \(Int(virtualSeconds / busy)) x real time, "
            + "\(Self.remaining(seconds: Double(total - done) / max(rate, 1e-9))) left"
    }

    private func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }

    /// `42 s`, `12 min`, `3 h 20 min`.
    private static func remaining(seconds: Double) -> String {
        guard seconds < 360_000 else { return "days" }
        let whole = Int(seconds.rounded(.up))
        if whole < 120 { return "\(whole) s" }
        if whole < 7_200 { return "\((whole + 30) / 60) min" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }
}
