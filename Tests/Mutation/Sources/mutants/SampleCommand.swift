import ArgumentParser
import Foundation
import MutationSites

/// Where the repository is, and how many mutants are played at once.
struct Common: ParsableArguments {
    @Option(help: "The repository's folder.") var repository = "."
    @Option(help: "Mutants that are played at once; as many as there are processors by default.") var jobs: Int?

    var tree: Tree { Tree(repository: URL(fileURLWithPath: repository).standardizedFileURL) }
    var jobCount: Int { max(1, jobs ?? ProcessInfo.processInfo.activeProcessorCount) }

    func commit() throws -> String {
        let ended = try Shell.run(["git", "rev-parse", "HEAD"], in: URL(fileURLWithPath: repository))
        guard ended.isSuccess else { throw Trouble(description: "git rev-parse: \(ended.output)") }
        return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Draws mechanical mutants, and plays each until something notices it.",
        discussion: "Ends with 1 where one survives that verdicts.txt does not show to be no fault.")

    @OptionGroup var common: Common
    @Option(help: "How many.") var size = 300
    @Option(help: "Seed of the draw; of the commit's name by default.") var seed: UInt64?
    @Flag(help: "Ask every stage of every mutant, not only until the first kill.") var allStages = false
    @Option(
        help: "Ask only these stages, for a quick look: some of \(Stage.all.map(\.name).joined(separator: ", ")).",
        transform: Self.stage)
    var only: [Stage] = []

    private static func stage(_ name: String) throws -> Stage {
        guard let stage = Stage.all.first(where: { $0.name == name }) else {
            throw ValidationError("there is no stage '\(name)'")
        }
        return stage
    }

    func validate() throws {
        guard 0 < size, common.jobs ?? 1 > 0 else { throw ValidationError("nothing to do") }
    }

    func run() throws {
        let tree = common.tree
        let commit = try common.commit()
        guard let seed = seed ?? Draw.seed(ofCommit: commit) else { throw Trouble(description: "no seed in \(commit)") }
        let verdicts = try Verdicts(try tree.text(of: "Tests/Mutation/verdicts.txt"))
        let sites = try tree.sites()
        for entry in verdicts.stale(among: sites) {
            say("verdicts.txt: no such site: \(entry.joined(separator: " | "))")
        }
        let drawn = Draw.order(sites, seed: seed)
        say("\(drawn.count) sites; seed \(seed) draws \(size)")
        let (planted, refused) = try Planting(tree: tree, drawn: drawn, count: min(size, drawn.count)).plant(say)
        let name = "sample-\(seed)-\(size)"
        try list(planted, in: tree.repository.appending(path: ".build-mutants/\(name)-mutants.tsv"))
        let stages = only.isEmpty ? Stage.all : only
        var play = Play(folder: tree.folder)
        try play.control(stages, modules: Set(planted.map(\.site.module)).sorted(), say)
        let title =
            "\(commit) seed \(seed) size \(size)\(allStages ? " all stages" : "") "
            + stages.map(\.name).joined(separator: ", ")
        let results = try ResultFile(
            tree.repository.appending(path: ".build-mutants/\(name).tsv"), title: title)
        let jury = Jury(planted, results, play: play, stages: { _ in stages }, asksAll: allStages)
        try jury.judge(jobs: common.jobCount)
        let report = Report(
            mutants: planted, results: jury.results, verdicts: verdicts, refusedCount: refused.count)
        print("commit \(commit), seed \(seed)\n\n\(report.text())")
        if !report.open.isEmpty { throw ExitCode(1) }
    }

    /// The number behind which each mutant stands in the tree, for a person who plays one by hand.
    private func list(_ planted: [(number: Int, site: MutationSite)], in place: URL) throws {
        let lines = planted.sorted { $0.number < $1.number }.map { number, site in
            "\(number)\t\(site.file):\(site.line)\t\(site.mutation.rawValue)\t\(site.change)\n"
        }
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(lines.joined().utf8).write(to: place)
    }
}

/// How many sites there are.
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites", abstract: "Counts the sites of each operator in each module.")

    @OptionGroup var common: Common

    func run() throws {
        let sites = try common.tree.sites()
        for module in Set(sites.map(\.module)).sorted() {
            let some = sites.filter { $0.module == module }
            let counts = MutationOperator.allCases.map { one in "\(one.rawValue) \(some.count { $0.mutation == one })" }
            print("\(module) \(some.count): \(counts.joined(separator: ", "))")
        }
        print("all \(sites.count)")
    }
}
