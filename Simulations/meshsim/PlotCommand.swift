import ArgumentParser
import Foundation
import MeshSimulator

struct PlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Draws a run, or the distributions that swarms measured, as SVG.",
        discussion: """
            Of a run: clique.svg, links up over time, and pairs.svg, who was linked to whom.
            Of swarms: distributions.svg, from what `meshsim swarm --json` printed.
            """)

    @OptionGroup var subject: RecordedRun

    @Option(
        name: .customLong("swarm-result"), parsing: .upToNextOption,
        help: ArgumentHelp("Documents of swarms, instead of a run.", valueName: "file"))
    var swarmResults: [String] = []

    @Option(help: ArgumentHelp("Folder for the drawings.", valueName: "folder"))
    var out = "."

    func validate() throws {
        if subject.isGiven == !swarmResults.isEmpty {
            throw ValidationError("give a run (--seed, --run or --scenario) or --swarm-result")
        }
    }

    func run() throws {
        guard swarmResults.isEmpty else {
            let swarms = try swarmResults.map { (name: name(of: $0), swarm: try read($0)) }
            try write(DistributionPlot(swarms: swarms).document, "distributions.svg")
            return
        }
        let record = RunRecord()
        try subject.play(into: record)
        let plot = RunPlot(record: record, subject: subject.subject)
        try write(CliquePlot(plot: plot).document, "clique.svg")
        try write(PairsPlot(plot: plot).document, "pairs.svg")
    }

    private func write(_ document: String, _ name: String) throws {
        try writeFile(document, to: "\(out)/\(name)")
        print("\(out)/\(name)")
    }

    private func name(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    private func read(_ path: String) throws -> DistributionPlot.Swarm {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FileTrouble(text: "\(path): cannot be read")
        }
        guard let swarm = try? JSONDecoder().decode(DistributionPlot.Swarm.self, from: data),
            swarm.schema == "partyline.sim/1"
        else { throw FileTrouble(text: "\(path): not the document of a swarm; `meshsim swarm --json` prints one") }
        return swarm
    }
}
