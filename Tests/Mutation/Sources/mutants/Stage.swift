import Foundation

/// A program that may notice a mutant.
struct Stage: Sendable {
    var name: String
    var words: @Sendable (_ module: String) -> [String]

    static let all = [unit, scenarios, directed, seeds, voice, channels, closed, hostile]
    /// What a hand-made mutant is held to, unless it is declared to be for unit tests: it is a fault of the protocol,
    /// and scenarios tell of those too.
    static let ofProtocol = [directedTwice, scenarios, seeds, voice, channels, closed, hostile]

    static let unit = Stage(name: "unit tests") { module in
        [
            ".build/release/mutatedPackageTests.xctest", "--testing-library", "swift-testing", "--no-parallel",
            "--filter", "^\(module)Tests\\.",
        ]
    }
    static let directed = Stage(name: "directed scenarios") { _ in
        [".build/release/meshsim", "directed", "--seeds", "1..1", "--stop-after", "1"]
    }
    static let directedTwice = Stage(name: "directed scenarios") { _ in
        [".build/release/meshsim", "directed", "--seeds", "1..2", "--stop-after", "1"]
    }
    static let seeds = Stage(name: "seeds") { _ in
        [".build/release/meshsim", "swarm", "--seeds", "1..120", "--stop-after", "1"]
    }
    static let voice = Stage(name: "voice seeds") { _ in
        [".build/release/meshsim", "swarm", "--seeds", "1..20", "--voice", "drawn", "--stop-after", "1"]
    }
    static let channels = Stage(name: "channel seeds") { _ in
        [".build/release/meshsim", "swarm", "--seeds", "1..20", "--channels", "drawn", "--stop-after", "1"]
    }
    static let closed = Stage(name: "seeds of closed meshes") { _ in
        [".build/release/meshsim", "swarm", "--seeds", "1..20", "--standings", "drawn", "--stop-after", "1"]
    }
    static let hostile = Stage(name: "seeds with hostile members") { _ in
        [".build/release/meshsim", "swarm", "--seeds", "1..20", "--hostile", "drawn", "--stop-after", "1"]
    }
    static let scenarios = Stage(name: "scenarios") { _ in [".build/release/meshsim", "scenarios", "--check"] }

    /// Whether a mutant of this module runs in the stage at all: the simulator has no rings.
    func runs(_ module: String) -> Bool { name == Stage.unit.name || module != "Handover" }

    /// Directed scenarios, so that each says of itself whether it complains; all where no names are given.
    static func everyScenario(names: [String]) -> Stage {
        Stage(name: "every directed scenario") { _ in
            [".build/release/meshsim", "directed", "--alone", "--seeds", "1..2"] + names
        }
    }
}

/// What a stage says of a mutant.
struct StageEnd: Sendable {
    var isKilled: Bool
    /// The checker or test that complained first.
    var by: String
    var seconds: Double
    var output: String
}

/// Plays mutants through stages, in the tree that holds them.
struct Play: Sendable {
    let folder: URL
    /// Seconds that each stage takes without any mutant, by stage and module.
    private(set) var usual: [String: Double] = [:]

    private static let patience = 5.0
    private static let patienceSeconds = 10.0

    init(folder: URL) { self.folder = folder }

    /// Plays the program as it is, which nothing may complain of, and measures it.
    mutating func control(_ stages: [Stage], modules: [String], _ say: (String) -> Void) throws {
        for stage in stages {
            for module in stage.name == Stage.unit.name ? modules : [""] {
                let ended = try start(stage, module: module, number: 0, limitSeconds: nil)
                guard ended.isSuccess else {
                    throw Trouble(
                        description:
                            "without any mutant, \(stage.name) \(module) complain: \(ended.output.suffix(1_500))")
                }
                usual[stage.name + module] = ended.seconds
                say("without any mutant \(stage.name) \(module) take \(tenths(ended.seconds)) s")
            }
        }
    }

    func play(_ stage: Stage, module: String, number: Int) throws -> StageEnd {
        let key = stage.name + (stage.name == Stage.unit.name ? module : "")
        let limit = (usual[key] ?? 60) * Play.patience + Play.patienceSeconds
        let ended = try start(stage, module: module, number: number, limitSeconds: limit)
        return StageEnd(
            isKilled: !ended.isSuccess, by: Play.culprit(ended), seconds: ended.seconds, output: ended.output)
    }

    private func start(_ stage: Stage, module: String, number: Int, limitSeconds: Double?) throws -> Shell.Ended {
        try Shell.run(
            stage.words(module), in: folder,
            environment: [
                "PARTYLINE_MUTANT": String(number), "SWIFT_BACKTRACE": "enable=no",
                // Hostile bytes make parsers throw a hundred thousand errors.
                "SWT_SWIFT_ERROR_BACKTRACING_ENABLED": "0",
            ],
            limitSeconds: limitSeconds)
    }

    private static func culprit(_ ended: Shell.Ended) -> String {
        if ended.isTimeOut { return "time-out" }
        if ended.isSuccess { return "" }
        // `setsid` says so where a signal ended its child.
        if ended.isSignal || ended.output.contains("did not exit normally") { return "trap" }
        let lines = ended.output.split(separator: "\n").map(String.init)
        if let test = lines.first(where: { $0.contains("✘ Test ") && $0.contains("recorded an issue") }) {
            return test.split(separator: "\"").dropFirst().first.map(String.init) ?? test
        }
        if let line = lines.first(where: { $0.contains("seed ") && !$0.hasSuffix(" ok") }) {
            return String(line.split(separator: " ").joined(separator: " ").prefix(120))
        }
        return String((lines.last ?? "exit \(ended.status)").prefix(120))
    }
}

func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }
