import ArgumentParser
import Foundation
import MeshSimulator
import Primitives

/// Runs every planted mutant of the protocol until something notices it.
struct MutantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants", abstract: "Runs deliberate faults of the protocol until a checker notices each.",
        discussion: """
            Needs a build with PARTYLINE_MUTANTS=1 (`make mutants`). Each mutant has a process of its own, since
            one may trap: drills first, then scenarios, then seeds. Ends with 1 if any survives. With --each-drill
            the question is turned round: of which mutants each drill complains; ends with 1 where one does of none.
            """)

    @OptionGroup var place: ScenarioPlace

    @Option(help: "Seeds that a mutant must not survive: 1 to this, after drills and scenarios.")
    var seeds: UInt64 = 100

    @Option(help: "Nodes of the seeds' meshes; drawn by default.")
    var nodes: Int?

    @Option(
        help: "Stages of the hunt, of drills, scenarios, seeds.",
        transform: { $0.split(separator: ",").map(String.init) })
    var stages = ["drills", "scenarios", "seeds"]

    @Flag(help: "Ask of each drill of which mutants it complains, under its first seed and with no safety checker.")
    var eachDrill = false

    @Option(help: .hidden)
    var child: String?

    @Argument(help: "Mutants by name; all by default.")
    var names: [String] = []

    func validate() throws {
        guard Mutant.areBuilt else {
            throw ValidationError("this build has no mutants; build with PARTYLINE_MUTANTS=1 (`make mutants`)")
        }
        for name in names where Mutant(rawValue: name) == nil { throw ValidationError("no mutant \(name)") }
    }

    func run() throws {
        if let child {
            let hunt = MutantHunt(mutant: child, seeds: seeds, nodes: nodes, stages: stages, place: place)
            if eachDrill { hunt.askEachDrill() } else { print(try hunt.run()) }
            return
        }
        let mutants = Mutant.allCases.map(\.rawValue).filter { names.isEmpty || names.contains($0) }
        if eachDrill { return try askEachDrill(of: mutants) }
        var survivors: [String] = []
        // What kills the protocol as it is would seem to kill every mutant.
        let control = try hunt(MutantsCommand.control)
        guard control.isAlive else {
            complain("without any mutant: \(control.place), \(control.killer)")
            throw ExitCode(Outcome.liveness.rawValue)
        }
        print(columns([("mutant", 26), ("killed in", 34), ("seed", 5)]) + "by")
        for mutant in mutants {
            let end = try hunt(mutant)
            if end.isAlive { survivors.append(mutant) }
            print(columns([(mutant, 26), (end.place, 34), (end.seed, 5)]) + end.killer)
        }
        print("\(mutants.count - survivors.count) of \(mutants.count) killed")
        guard survivors.isEmpty else {
            complain("survivors: \(survivors.joined(separator: ", "))")
            throw ExitCode(Outcome.safety.rawValue)
        }
    }

    /// The name under which the protocol as it is runs through the same hunt.
    private static let control = "none"

    /// What became of one mutant.
    private struct End {
        var isAlive: Bool
        var place: String
        /// The first that the mutant did not survive.
        var seed: String
        var killer: String
    }

    private func hunt(_ mutant: String) throws -> End {
        var arguments = ["--scenarios-dir", place.scenariosDir, "--stages", stages.joined(separator: ",")]
        if let nodes { arguments += ["--nodes", String(nodes)] }
        let child = try process(mutant, arguments + ["--seeds", String(seeds)])
        if child.isTrapped { return End(isAlive: false, place: "trap", seed: "-", killer: "a precondition of Core") }
        let words = child.output.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard words.count == 4 else { throw FileTrouble(text: "the hunt for \(mutant) ended with \(child.output)") }
        return End(isAlive: words[0] == "alive", place: words[1], seed: words[2], killer: words[3])
    }

    /// A trap ends the child; drills that it had not reached count as if they had no complaint.
    private func askEachDrill(of mutants: [String]) throws {
        let control = try process(MutantsCommand.control, ["--each-drill"]).output
        guard control.isEmpty else {
            complain("without any mutant: \(control)")
            throw ExitCode(Outcome.liveness.rawValue)
        }
        var noticed: [String: [String]] = [:]
        for mutant in mutants {
            for drill in try process(mutant, ["--each-drill"]).output.split(separator: "\n") {
                noticed[String(drill), default: []].append(mutant)
            }
        }
        var idle: [String] = []
        for drill in Drills.all {
            let name = type(of: drill).name
            var complaints = noticed[name] ?? []
            // Of a bound that no mutant is slow enough for: granted no time, even the protocol as it is misses it.
            if complaints.isEmpty, drill.complaint(seed: 1, patience: 0) != nil { complaints = ["(granted no time)"] }
            if complaints.isEmpty { idle.append(name) }
            print(columns([(name, 28)]) + complaints.joined(separator: ", "))
        }
        print("\(Drills.all.count - idle.count) of \(Drills.all.count) drills have been seen failing")
        guard idle.isEmpty else {
            complain("never seen failing: \(idle.joined(separator: ", "))")
            throw ExitCode(Outcome.safety.rawValue)
        }
    }

    /// What a child that has `mutant` switched on wrote, and whether a precondition ended it.
    private func process(_ mutant: String, _ arguments: [String]) throws -> (output: String, isTrapped: Bool) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["mutants", "--child", mutant] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        do {
            try process.run()
        } catch {
            throw FileTrouble(text: "\(CommandLine.arguments[0]): \(error.localizedDescription)")
        }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let isTrapped = process.terminationReason == .uncaughtSignal
        guard isTrapped ? [SIGILL, SIGTRAP].contains(process.terminationStatus) : process.terminationStatus == 0 else {
            throw FileTrouble(text: "the hunt for \(mutant) was ended with \(process.terminationStatus)")
        }
        return (String(decoding: data, as: UTF8.self), isTrapped)
    }
}

/// The hunt for one mutant, in its own process.
struct MutantHunt {
    let mutant: String
    let seeds: UInt64
    let nodes: Int?
    let stages: [String]
    let place: ScenarioPlace

    private func switchOn() {
        #if PARTYLINE_MUTANTS
        Mutant.active = Mutant(rawValue: mutant)
        #endif
    }

    /// Writes a line for each drill that complains of the mutant itself, at once: the next one may trap.
    func askEachDrill() {
        switchOn()
        for drill in Drills.all where drill.complaint(seed: 1) != nil {
            print(type(of: drill).name)
            fflush(nil)
        }
    }

    /// `dead` or `alive`, where, at which seed, and by which checker, separated by tabs.
    func run() throws -> String {
        switchOn()
        for stage in stages {
            switch stage {
            case "drills": if let line = huntInDrills() { return line }
            case "scenarios": if let line = try huntInScenarios() { return line }
            case "seeds": if let line = huntInSeeds() { return line }
            default: throw ValidationError("no stage \(stage)")
            }
        }
        return "alive\t-\t-\tnobody within \(seeds) seeds"
    }

    private func huntInDrills() -> String? {
        for drill in Drills.all {
            for seed in 1...2 as ClosedRange<UInt64> {
                guard let violation = drill.run(seed: seed) else { continue }
                return "dead\tdrill \(type(of: drill).name)\t\(seed)\t\(violation.checker)"
            }
        }
        return nil
    }

    private func huntInScenarios() throws -> String? {
        for name in try place.names() {
            let outcome = try place.play(place.read(name), sealing: SealingChoice.transparent.factory)
            guard let failure = outcome.failures.first else { continue }
            return "dead\tscenario \(name)\t-\t\(failure.text.prefix(60))"
        }
        return nil
    }

    private func huntInSeeds() -> String? {
        for seed in 1...max(1, seeds) {
            let options = SwarmOptions(seed: seed, nodeCount: nodes)
            guard let violation = TwoActs(options, sealing: SealingChoice.transparent.factory).run().violation
            else { continue }
            return "dead\tswarm\t\(seed)\t\(violation.checker)"
        }
        return nil
    }
}
