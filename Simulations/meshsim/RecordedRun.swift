import ArgumentParser
import MeshSimulator
import Primitives

/// The single run that a command examines: a seed, a kept run or a scenario.
struct RecordedRun: ParsableArguments {
    @Option(help: "A seed.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("A kept run.", valueName: "file"))
    var run: String?

    @Option(help: "A scenario by name.")
    var scenario: String?

    @Option(help: "Nodes of a seed's mesh, 2 to 64; drawn from the seed by default.")
    var nodes: Int?

    @OptionGroup(title: "Instead of what the seed draws") var drawn: DrawnOptions

    @Option(help: ArgumentHelp("Faults of the drawn plan to leave out, by position.", valueName: "3,5"))
    var without: Positions?

    @OptionGroup var place: ScenarioPlace

    var isGiven: Bool { seed != nil || run != nil || scenario != nil }

    func validate() throws {
        let count = [seed != nil, run != nil, scenario != nil].count { $0 }
        if 1 < count { throw ValidationError("give only one of --seed, --run and --scenario") }
        if let nodes, !(2...64).contains(nodes) { throw ValidationError("--nodes must be 2 to 64") }
    }

    var subject: String {
        seed.map { "seed \($0)" } ?? run ?? scenario.map { "scenario \($0)" } ?? ""
    }

    /// Names of the nodes, before anything is played.
    func names() throws -> [String] {
        if let scenario { return try place.read(scenario).nodeNames }
        return WorldOptions.numberedNames(try tape().0.options.nodeCount)
    }

    func play(into record: RunRecord) throws {
        if let scenario {
            _ = try place.play(try place.read(scenario), sealing: SealingChoice.transparent.factory, into: record)
            return
        }
        let (tape, sealing) = try tape()
        _ = TwoActs(tape, sealing: sealing.factory).run(into: record)
    }

    private func tape() throws -> (RunTape, SealingChoice) {
        if let run {
            let kept = try RunFile.read(run)
            return (kept.tape.trimmed, kept.sealing)
        }
        let options = try drawn.options(seed: seed ?? 0, nodes: nodes)
        return (RunTape(drawnFor: options, omitting: without?.numbers ?? []), .transparent)
    }
}
