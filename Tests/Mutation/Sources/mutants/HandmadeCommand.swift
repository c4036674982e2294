import ArgumentParser
import Foundation
import MutationSites

/// Faults that people thought of: each must be noticed, and each scenario must notice one.
struct HandmadeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handmade", abstract: "Plays the faults of handmade.txt until something notices each.",
        discussion: """
            With --each-scenario the question is turned round: of which fault each scenario complains by itself, while \
            no safety checker watches. Faults for unit tests are left out there. Ends with 1 where a fault survives, \
            or a scenario complains of none.
            """)

    @OptionGroup var common: Common
    @Flag(help: "Ask each scenario for a fault of which it complains.") var eachScenario = false
    @Argument(help: "Faults by name; all by default.") var names: [String] = []

    func run() throws {
        let tree = common.tree
        let entries = try Handmade.entries(try tree.text(of: "Tests/Mutation/handmade.txt"))
        for name in names where !entries.contains(where: { $0.name == name }) {
            throw Trouble(description: "no fault \(name) in handmade.txt")
        }
        var texts: [String: String] = [:]
        for file in Set(entries.flatMap { $0.hunks.map(\.file) }) { texts[file] = try tree.text(of: file) }
        for (index, entry) in entries.enumerated() { try entry.write(into: &texts, as: index + 1) }
        for (file, text) in texts { texts[file] = "import Primitives; " + text }
        try tree.write(texts)
        say("building \(entries.count) hand-made mutants")
        if let error = try Build(folder: tree.folder).errors().first {
            throw Trouble(description: "\(error.file):\(error.line): \(error.text)")
        }
        let chosen = entries.enumerated().map { (number: $0.offset + 1, entry: $0.element) }
            .filter { names.isEmpty || names.contains($0.entry.name) }
        let mutants = chosen.map { (number: $0.number, site: $0.entry.site) }
        let forUnitTests = Set(chosen.filter(\.entry.isForUnitTests).map(\.number))
        if eachScenario {
            try askEachScenario(mutants.filter { !forUnitTests.contains($0.number) }, tree)
        } else {
            try hunt(mutants, forUnitTests: forUnitTests, tree)
        }
    }

    private func hunt(
        _ mutants: [(number: Int, site: MutationSite)], forUnitTests: Set<Int>, _ tree: Tree
    ) throws {
        var play = Play(folder: tree.folder)
        let modules = Set(mutants.filter { forUnitTests.contains($0.number) }.map(\.site.module))
        try play.control(Stage.ofProtocol + [.unit], modules: modules.sorted(), say)
        let place = tree.repository.appending(path: ".build-mutants/handmade.tsv")
        try? FileManager.default.removeItem(at: place)
        let jury = Jury(
            mutants, try ResultFile(place, title: "handmade"), play: play,
            stages: { forUnitTests.contains($0) ? [.unit] : Stage.ofProtocol }, asksAll: false)
        try jury.judge(jobs: common.jobCount)
        var survivors: [String] = []
        for mutant in mutants {
            guard let line = jury.results.lines[mutant.number] else { continue }
            if line.stage.isEmpty { survivors.append(mutant.site.original) }
            print("\(mutant.site.original): \(line.stage.isEmpty ? "SURVIVES" : "\(line.stage), \(line.by)")")
        }
        print("\(mutants.count - survivors.count) of \(mutants.count) noticed")
        if !survivors.isEmpty { throw ExitCode(1) }
    }

    private func askEachScenario(_ mutants: [(number: Int, site: MutationSite)], _ tree: Tree) throws {
        var play = Play(folder: tree.folder)
        try play.control([Stage.everyScenario(names: [])], modules: [], say)
        let scenarios = try names(of: play.play(.everyScenario(names: []), module: "", number: 0)) { _ in true }
        var idle = scenarios
        for mutant in mutants where !idle.isEmpty {
            let end = try play.play(.everyScenario(names: idle), module: "", number: mutant.number)
            let complaining = names(of: end) { !$0.hasSuffix(" ok") }
            for scenario in complaining { print("\(scenario): \(mutant.site.original)") }
            idle.removeAll(where: complaining.contains)
            say("\(mutant.site.original) asked, \(idle.count) scenarios left")
        }
        for scenario in idle { print("\(scenario): of none") }
        print("\(scenarios.count - idle.count) of \(scenarios.count) scenarios have been seen failing")
        if !idle.isEmpty { throw ExitCode(1) }
    }

    /// Scenarios of which a line of the output holds; a trap ends the list.
    private func names(of end: StageEnd, where holds: (String) -> Bool) -> [String] {
        end.output.split(separator: "\n").map(String.init).filter { $0.contains(" s ") && holds($0) }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}
