import ArgumentParser
import MeshSimulator
import Primitives

struct ShrinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Makes a failed run small: fewer faults, fewer nodes, a simpler network, less time.",
        discussion: "The result is written as a file for `meshsim replay` and `meshsim explain`.")

    @OptionGroup var options: SeedOptions

    @Argument(help: "A kept run that fails; or give --seed.")
    var file: String?

    @Option(help: "A seed that fails.")
    var seed: UInt64?

    @OptionGroup(title: "Instead of what the seed draws") var drawn: DrawnOptions

    @Option(help: "Greatest number of runs.")
    var runs = 500

    @Option(help: ArgumentHelp("File for the small run.", valueName: "file"))
    var out: String?

    func validate() throws {
        if (file == nil) == (seed == nil) { throw ValidationError("give either a kept run or --seed") }
    }

    func run() throws {
        let (tape, sealing) = try subject()
        let seed = tape.options.seed
        let first = TwoActs(tape, sealing: sealing.factory).run()
        guard let violation = first.violation else {
            print("seed \(seed) passes: nothing to shrink")
            return
        }
        complain("seed \(seed) breaks \(violation.checker) at \(TimeText.instant(violation.at))")
        var shrinker = Shrinker(
            tape, end: end(of: first), runsMax: runs, note: { ProgressLine.shared.show(text($0)) },
            play: { end(of: TwoActs($0, sealing: sealing.factory).run()) })
        let before = shrinker.progress
        shrinker.shrink()
        ProgressLine.shared.clear()
        let report = TwoActs(shrinker.tape, sealing: sealing.factory).run()
        let small = RunFile(
            shrinker.tape, sealing: sealing, violation: report.violation, commit: Revision.current)
        let path = out ?? "seed-\(seed)-\(violation.checker)-small.json"
        try small.write(to: path)
        if options.json {
            print(try small.text, terminator: "")
        } else {
            print("before  \(text(before))\nafter   \(text(shrinker.progress))")
            for fault in report.faults { print("  \(fault)") }
            print(
                failureText(report, commit: Revision.current, replay: "meshsim replay \(path)"))
        }
        try Outcome(report.verdict).end()
    }

    private func end(of report: RunReport) -> Shrinker.End {
        Shrinker.End(violation: report.violation, virtualTime: report.virtualTime)
    }

    private func subject() throws -> (RunTape, SealingChoice) {
        if let file {
            let kept = try RunFile.read(file)
            return (kept.tape, kept.sealing)
        }
        return (RunTape(drawnFor: try drawn.options(seed: seed ?? 0, nodes: options.nodes)), options.sealing)
    }

    private func text(_ progress: Shrinker.Progress) -> String {
        "\(progress.faultCount) faults, \(progress.nodeCount) nodes, \(TimeText.tenths(progress.virtualTime)) "
            + "of virtual time, \(progress.runsSpent) runs"
    }
}
