import ArgumentParser
import MeshSimulator

struct ShrinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink", abstract: "Finds the faults of a failed seed that it needs to fail.")

    @OptionGroup var options: SeedOptions

    @Option(help: "A seed that fails.")
    var seed: UInt64

    @Option(help: "Runs that may be spent.")
    var runs = 200

    func run() throws {
        let swarm = SwarmOptions(seed: seed, nodeCount: options.nodes)
        let factory = options.sealing.factory
        guard let violation = TwoActs(swarm, sealing: factory).run().violation else {
            print("seed \(seed) passes")
            return
        }
        let omitted = Shrinker(swarm, runsMax: runs, sealing: factory).omissible(checker: violation.checker)
        let report = TwoActs(swarm, omitting: omitted, sealing: factory).run()
        for fault in report.faults { print(fault) }
        print(failureText(report, nodes: options.nodes, sealing: options.sealing, omitted: omitted))
        try Outcome(report.verdict).end()
    }
}
