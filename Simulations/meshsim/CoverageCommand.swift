import ArgumentParser
import MeshSimulator
import Primitives

struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Shows which rare events the directed scenarios and some seeds reach.",
        discussion: """
            A mark is a timer, a reason, a refusal or a counter, seen from outside. Each seed is played twice: with the
            limits of the product, and with small ones. Ends with 1 if a mark without an excuse was never reached.
            """)

    @Option(help: "Seeds as A..B, both included.")
    var seeds: SeedRange

    @Flag(help: "Show how often each mark was reached.")
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
            "marks   \(marks.all.count { 0 < $0.count }) of \(marks.all.count) reached, ",
            "\(CoverageMarks.excused.count) excused", separator: ""
        )
        let all = marks.all.map { ($0.name, $0.count) }
        let missing = all.filter { $0.1 == 0 && CoverageMarks.excused[$0.0] == nil }.map(\.0)
        // A needless excuse would hide a mark that is no longer reached.
        let needless = CoverageMarks.excused.keys.sorted().filter { name in !all.contains { $0 == (name, 0) } }
        if !missing.isEmpty { complain("never reached: \(missing.joined(separator: ", "))") }
        if !needless.isEmpty { complain("excused, but reached or unknown: \(needless.joined(separator: ", "))") }
        guard missing.isEmpty, needless.isEmpty else { throw ExitCode(Outcome.safety.rawValue) }
    }
}
