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
