import ArgumentParser
import Foundation
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
        var outcome = Outcome.pass
        for name in try place.names() {
            let file = try place.read(name)
            guard check else {
                print(name.padding(toLength: 30, withPad: " ", startingAt: 0) + file.title)
                continue
            }
            let played = try place.play(file, sealing: SealingChoice.transparent.factory)
            let differences = differences(between: file, and: played.played)
            let word = !played.failures.isEmpty ? "FAILED" : differences.isEmpty ? "ok" : "differs"
            print(name.padding(toLength: 30, withPad: " ", startingAt: 0) + word)
            for failure in played.failures { complain("\(name): \(failure)") }
            for difference in differences { complain("\(name): \(difference)") }
            if !played.failures.isEmpty {
                outcome = .safety
            } else if !differences.isEmpty, outcome == .pass {
                outcome = .transcript
            }
        }
        try outcome.end()
    }
}

struct BlessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bless",
        abstract: "Plays scenarios and writes what was observed into their files.",
        discussion: "A scenario whose expectations fail is never blessed.")

    @OptionGroup var place: ScenarioPlace

    @Argument(help: "Scenarios by name; all by default.")
    var names: [String] = []

    func run() throws {
        try blessScenarios(names.isEmpty ? place.names() : names, in: place).end()
    }
}

private func blessScenarios(_ names: [String], in place: ScenarioPlace) throws -> Outcome {
    var outcome = Outcome.pass
    for name in names {
        let file = try place.read(name)
        let played = try place.play(file, sealing: SealingChoice.transparent.factory)
        guard played.failures.isEmpty else {
            for failure in played.failures { complain("\(name): \(failure)") }
            outcome = .safety
            continue
        }
        guard played.played != file else { continue }
        do {
            try Data(played.played.text.utf8).write(to: URL(fileURLWithPath: place.path(of: name)), options: .atomic)
        } catch {
            throw FileTrouble(text: "\(place.path(of: name)): \(error.localizedDescription)")
        }
        print("blessed \(name)")
    }
    return outcome
}
