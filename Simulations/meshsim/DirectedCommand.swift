import ArgumentParser
import MeshSimulator

struct DirectedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "directed", abstract: "Plays every directed scenario under several seeds, and checks its bounds.")

    @Option(help: "The nodes' cryptography: transparent (fast) or real.")
    var sealing = SealingChoice.transparent

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange?

    @Option(help: "Play no more scenarios after this number of failures.")
    var stopAfter: Int?

    @Flag(help: "Print the events of every play, to the microsecond.")
    var trace = false

    @Flag(help: "Count a complaint of the scenario itself alone: no safety checker watches.")
    var alone = false

    @Argument(help: "Scenarios by name; all by default.")
    var names: [String] = []

    func run() throws {
        var outcome = Outcome.pass
        var complaints = 0
        for scenario in DirectedScenarios.all where names.isEmpty || names.contains(type(of: scenario).name) {
            let name = type(of: scenario).name
            var words = "ok"
            let (_, cost) = timed {
                let seeds = self.seeds.map { $0.first...$0.last } ?? 1...10
                for seed in seeds {
                    guard let violation = violation(of: scenario, seed: seed) else { continue }
                    words = "seed \(seed), \(violation.checker) at \(violation.at): \(violation.text)"
                    if outcome != .safety { outcome = violation.kind == .safety ? .safety : .liveness }
                    break
                }
            }
            print(
                columns([(name, 28), (type(of: scenario).promises, 10), (hundredths(cost.processorSeconds), 8)]) + words
            )
            complaints += words == "ok" ? 0 : 1
            if let stopAfter, stopAfter <= complaints { break }
        }
        try outcome.end()
    }

    private func violation(of scenario: any DirectedScenario, seed: UInt64) -> Violation? {
        if alone { return scenario.complaint(seed: seed, sealing: sealing.factory) }
        let stage = scenario.stage(seed: seed, sealing: sealing.factory, isTraced: trace)
        stage.world.transcript?.lines.forEach { print($0) }
        return stage.violation
    }

    private func hundredths(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100) s" }
}

/// Cells, padded to their widths, with at least one space between two cells.
func columns(_ cells: [(text: String, width: Int)]) -> String {
    cells.map { $0.text + String(repeating: " ", count: max(1, $0.width - $0.text.count)) }.joined()
}
