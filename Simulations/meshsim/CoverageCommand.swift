import ArgumentParser
import MeshSimulator
import Primitives

struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "What the drills and some seeds have reached of the link machine and of all rare branches.",
        discussion: """
            Marks are timers, reasons, refusals and counters, seen from outside. Pairs of link state and event are
            counted in a build with PARTYLINE_MUTANTS=1 (`make coverage`). Ends with 1 where anything that is not
            excused was never met.
            """)

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange

    @Flag(help: "Show how often everything was met.")
    var verbose = false

    func run() throws {
        var marks = Marks()
        for drill in Drills.all { marks.add(drill.stage(seed: 1).marks) }
        for seed in seeds.first...seeds.last {
            let acts = TwoActs(SwarmOptions(seed: seed, nodeCount: nil), sealing: SealingChoice.transparent.factory)
            marks.add(acts.run().marks)
        }
        var missing = marks.all.filter { $0.count == 0 && Marks.excused[$0.name] == nil }.map(\.name)
        let needless = marks.all.filter { 0 < $0.count && Marks.excused[$0.name] != nil }.map(\.name)
        if verbose { for mark in marks.all { print(columns([(mark.name, 40)]) + "\(mark.count)") } }
        print("marks   \(marks.all.count { 0 < $0.count }) of \(marks.all.count) met, \(Marks.excused.count) excused")
        if let pairs = Marks.linkPairs {
            if verbose { for pair in pairs { print(columns([(pair.name, 40)]) + "\(pair.count)") } }
            print("pairs   \(pairs.count { 0 < $0.count }) of \(pairs.count) met")
            missing += pairs.filter { $0.count == 0 && Marks.excused[$0.name] == nil }.map(\.name)
        }
        for name in needless { complain("excused, but met: \(name)") }
        guard !missing.isEmpty else { return }
        complain("never met: \(missing.joined(separator: ", "))")
        throw ExitCode(Outcome.safety.rawValue)
    }
}
