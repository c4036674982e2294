import ArgumentParser
import MeshSimulator
import Primitives

struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "What the directed scenarios and some seeds have reached of all that is rare.",
        discussion: """
            Marks are timers, reasons, refusals and counters, seen from outside. Each seed is played twice: with nodes
            as in the product, and with tight ones. Ends with 1 where anything that is not excused was never met.
            """)

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange

    @Flag(help: "Show how often everything was met.")
    var verbose = false

    func run() throws {
        var marks = CoverageMarks()
        for scenario in DirectedScenarios.all { marks.add(scenario.stage(seed: 1).marks) }
        for seed in seeds.first...seeds.last {
            var options = SwarmOptions(seed: seed, nodeCount: nil)
            marks.add(TwoActs(options, sealing: SealingChoice.transparent.factory).run().marks)
            options.drawTightLimits()
            marks.add(TwoActs(options, sealing: SealingChoice.transparent.factory).run().marks)
        }
        if verbose { for mark in marks.all { print(columns([(mark.name, 40)]) + "\(mark.count)") } }
        print(
            "marks   \(marks.all.count { 0 < $0.count }) of \(marks.all.count) met, ",
            "\(CoverageMarks.excused.count) excused", separator: ""
        )
        let all = marks.all.map { ($0.name, $0.count) }
        let missing = all.filter { $0.1 == 0 && CoverageMarks.excused[$0.0] == nil }.map(\.0)
        // An excuse that is not needed hides the day on which it would be.
        let needless = CoverageMarks.excused.keys.sorted().filter { name in !all.contains { $0 == (name, 0) } }
        if !missing.isEmpty { complain("never met: \(missing.joined(separator: ", "))") }
        if !needless.isEmpty { complain("excused, but met, or nothing at all: \(needless.joined(separator: ", "))") }
        guard missing.isEmpty, needless.isEmpty else { throw ExitCode(Outcome.safety.rawValue) }
    }
}
