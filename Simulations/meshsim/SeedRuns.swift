import ArgumentParser
import MeshSimulator

/// Options of everything that runs seeds.
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

/// How to repeat a failed run: one line for a shell.
func replayLine(seed: UInt64, nodes: Int?, sealing: SealingChoice, omitted: [Int] = []) -> String {
    var words = ["meshsim", "run", "--seed", String(seed)]
    if let nodes { words += ["--nodes", String(nodes)] }
    if sealing != .transparent { words += ["--sealing", sealing.rawValue] }
    if !omitted.isEmpty { words += ["--without", omitted.map(String.init).joined(separator: ",")] }
    return words.joined(separator: " ")
}

/// What a person needs to understand a failure: seed, options, faults, promise, command.
func failureText(_ report: RunReport, nodes: Int?, sealing: SealingChoice, omitted: [Int] = []) -> String {
    guard let violation = report.violation else { return "seed \(report.seed) passed" }
    return """
        seed \(report.seed) FAILED: \(violation.kind.rawValue), \(violation.checker)
          at       \(violation.at)
          because  \(violation.text)
          options  \(report.options)
          replay   \(replayLine(seed: report.seed, nodes: nodes, sealing: sealing, omitted: omitted))
        """
}
