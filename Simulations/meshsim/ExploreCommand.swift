import ArgumentParser
import MeshSimulator

struct ExploreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Tries every combination of a few faults among a pair's first messages.",
        discussion: "Two nodes, two instances each; the number of runs grows as (7 x window) to the power of depth.")

    @Option(help: "Deviations in one run.")
    var depth = 1

    @Option(help: "Number of first messages at which a deviation may happen.")
    var window = 60

    @Flag(help: "Only the follower can discover the leader.")
    var oneWay = false

    func validate() throws {
        guard (1...4).contains(depth), (1...500).contains(window) else {
            throw ValidationError("--depth must be 1 to 4, --window 1 to 500")
        }
    }

    func run() throws {
        let (report, cost) = timed { Explorer(depth: depth, window: window, isOneWay: oneWay).run() }
        let seconds = (cost.processorSeconds * 10).rounded() / 10
        print("runs         \(report.runs)\ntransitions  \(report.transitions)\nstates       \(report.states)")
        print("time         \(seconds) s")
        guard let violation = report.violation else {
            print("verdict      pass")
            return
        }
        complain("\(violation.checker) at \(violation.at): \(violation.text)")
        report.path.forEach { complain("  \($0)") }
        try (violation.kind == .safety ? Outcome.safety : .liveness).end()
    }
}
