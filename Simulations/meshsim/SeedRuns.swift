import ArgumentParser
import MeshSimulator

/// Options of all commands that run seeds.
struct SeedOptions: ParsableArguments {
    @Option(help: "Nodes of the mesh, 2 to 64; drawn from the seed by default.")
    var nodes: Int?

    @Option(help: "The nodes' cryptography: transparent (fast) or real.")
    var sealing = SealingChoice.transparent

    @Flag(help: "Print one JSON document (schema partyline.sim/1).")
    var json = false

    func validate() throws {
        if let nodes, !(2...64).contains(nodes) { throw ValidationError("--nodes must be 2 to 64") }
    }
}

/// Positions in a fault tape, as `--without 3,5`.
struct Positions: ExpressibleByArgument {
    var numbers: [Int] = []

    init?(argument: String) {
        let words = argument.split(separator: ",")
        numbers = words.compactMap { Int($0) }.filter { 0 <= $0 }
        guard numbers.count == words.count else { return nil }
    }
}

/// The command that repeats the run of a seed, in one line.
func replayLine(
    seed: UInt64, nodes: Int?, sealing: SealingChoice, drawn: [String] = [], omitted: [Int] = []
) -> String {
    var words = ["meshsim", "run", "--seed", String(seed)]
    if let nodes { words += ["--nodes", String(nodes)] }
    if sealing != .transparent { words += ["--sealing", sealing.rawValue] }
    words += drawn
    if !omitted.isEmpty { words += ["--without", omitted.map(String.init).joined(separator: ",")] }
    return words.joined(separator: " ")
}

/// Returns a description of a failure: seed, commit, options, faults, promise, command.
func failureText(_ report: RunReport, commit: String?, replay: String) -> String {
    guard let violation = report.violation else { return "seed \(report.seed) passed" }
    return """
        seed \(report.seed) FAILED: \(violation.kind.rawValue), \(violation.checker)
          at       \(TimeText.instant(violation.at)), after \(report.faults.count) faults
          because  \(violation.text)
          commit   \(commit ?? "unknown")
          options  \(report.options)
          replay   \(replay)
        """
}

/// `A..B`, both ends included.
struct SeedRange: ExpressibleByArgument {
    /// Seeds of one range.
    static let countMax: UInt64 = 100_000_000

    let first: UInt64
    let last: UInt64

    init?(argument: String) {
        guard let dots = argument.firstRange(of: ".."), let first = UInt64(argument[..<dots.lowerBound]),
            let last = UInt64(argument[dots.upperBound...]), first <= last, last - first < Self.countMax
        else { return nil }
        self.first = first
        self.last = last
    }

    var count: UInt64 { last - first + 1 }
}

/// The number of seeds that run at once.
struct JobsOption: ParsableArguments {
    @Option(help: "Seeds that run at once.")
    var jobs = 1

    /// A build for one thread allows one job only: each job has a thread of its own, and reference counts in such a
    /// build are not atomic.
    private static var jobsMax: Int {
        #if PARTYLINE_ONE_THREAD
        1
        #else
        256
        #endif
    }

    func validate() throws {
        guard !(1...Self.jobsMax).contains(jobs) else { return }
        let reason = Self.jobsMax == 1 ? "1: this build has one thread, start several" : "1 to \(Self.jobsMax)"
        throw ValidationError("--jobs must be \(reason)")
    }
}
