import ArgumentParser
import Foundation
import MeshSimulator

struct RegressionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regressions", abstract: "Runs every seed that once failed, and prints the reason.")

    @Option(help: ArgumentHelp("The seeds; found from the repository root by default.", valueName: "file"))
    var file = "Simulations/Regressions/seeds.txt"

    @Option(help: "The nodes' cryptography: transparent (fast) or real.")
    var sealing = SealingChoice.transparent

    func run() throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw FileTrouble(text: "no file \(file); run from the repository root or give --file")
        }
        let seeds: [RegressionSeed]
        do {
            seeds = try RegressionSeed.parse(String(decoding: data, as: UTF8.self))
        } catch {
            throw FileTrouble(text: "\(file): \(error)")
        }
        var worst = Outcome.pass
        for entry in seeds {
            let report = TwoActs(entry.options, sealing: sealing.factory).run()
            worst = worst.worse(Outcome(report.verdict))
            let nodes = entry.nodeCount.map(String.init) ?? "-"
            let word = report.violation == nil ? "ok" : "FAILED"
            print(
                "\(word.padded(to: 8))seed \("\(entry.seed)".padded(to: 8))nodes \(nodes.padded(to: 4))\(entry.reason)")
            if report.violation != nil {
                let replay = replayLine(
                    seed: entry.seed, nodes: entry.nodeCount, sealing: sealing, drawn: entry.words)
                complain(failureText(report, commit: Revision.current, replay: replay))
            }
        }
        print("\(seeds.count) seeds: \(worst == .pass ? "all pass" : "some fail")")
        try worst.end()
    }
}
