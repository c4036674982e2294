import ArgumentParser
import MeshSimulator

struct ScenariosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios", abstract: "Lists the scenarios; with --check plays them all.",
        discussion: "Commands of a scenario:\n" + ScenarioCommand.grammar.map { "  \($0)" }.joined(separator: "\n"))

    @OptionGroup var place: ScenarioPlace

    @Flag(help: "Play every scenario and compare its transcript.")
    var check = false

    @Flag(help: "Write the observed transcripts into the files, as `meshsim bless` does.")
    var bless = false

    func run() throws {
        if bless {
            try blessScenarios(place.names(), in: place).end()
            return
        }
        let names = try place.names()
        guard check else {
            for name in names { print(name.padded(to: 30) + (try place.read(name).title)) }
            return
        }
        try checkScenarios(names).end()
    }

    private func checkScenarios(_ names: [String]) throws -> Outcome {
        var worst = Outcome.pass
        var differing: [String] = []
        for name in names {
            let file = try place.read(name)
            let played = try place.play(file, sealing: SealingChoice.transparent.factory)
            let differences = differences(between: file, and: played.played)
            let hasFailed = !played.failures.isEmpty
            print(name.padded(to: 30) + (hasFailed ? "FAILED" : differences.isEmpty ? "ok" : "differs"))
            for failure in played.failures { complain("  \(failure)") }
            for difference in differences { complain("  \(difference)") }
            if !hasFailed, !differences.isEmpty { differing.append(name) }
            worst = worst.worse(hasFailed ? .safety : differences.isEmpty ? .pass : .transcript)
        }
        if !differing.isEmpty { complain("if that is intended: meshsim bless \(differing.joined(separator: " "))") }
        return worst
    }
}

struct BlessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bless",
        abstract: "Plays scenarios and writes the observed transcripts into their files.",
        discussion: "A scenario with a failed expectation is never blessed.")

    @OptionGroup var place: ScenarioPlace

    @Argument(help: "Scenarios by name; all by default.")
    var names: [String] = []

    func run() throws {
        try blessScenarios(names.isEmpty ? place.names() : names, in: place).end()
    }
}

private func blessScenarios(_ names: [String], in place: ScenarioPlace) throws -> Outcome {
    var outcome = Outcome.pass
    var blessed = 0
    for name in names {
        let file = try place.read(name)
        let played = try place.play(file, sealing: SealingChoice.transparent.factory)
        guard played.failures.isEmpty else {
            for failure in played.failures { complain("\(name) is not blessed: \(failure)") }
            outcome = .safety
            continue
        }
        guard played.played != file else { continue }
        try writeFile(played.played.text, to: place.path(of: name))
        print("blessed \(name)")
        for difference in differences(between: file, and: played.played) { print("  \(difference)") }
        blessed += 1
    }
    print("\(blessed) of \(names.count) scenarios blessed, the others are unchanged")
    return outcome
}
