package import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime
import Primitives

/// `partyline lab`: starts real nodes on this machine, lets them talk to each other, and judges their recordings.
package struct LabCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Lets several nodes on this machine talk to each other, and judges what they heard.",
        discussion: """
            Starts real nodes with a state, a mesh name and loopback ports of their own. They speak in turns: each has \
            a recorded voice with a pilot tone, and a chirp by which latency is measured. Exit code 0 only if the \
            clique is complete and everybody heard everybody.

            With several channels, two of three nodes are on two of them, and have a talk key for each. They talk by \
            one key, by the other, and by both, which overlap. A node must hear all that is said on its channels, at \
            their levels and in their ears, and nothing else.
            """)

    @Option(help: ArgumentHelp("How many nodes, 2 to 64.", valueName: "n"))
    package var nodes = 4

    @Option(help: ArgumentHelp("How many channels, 1 to 14, and at most as many as nodes.", valueName: "c"))
    package var channels = 1

    @Option(help: ArgumentHelp("How long they talk, up to 600; longer if not everyone could talk.", valueName: "s"))
    package var seconds = 12.0

    @Flag(help: "Prints the document partyline.lab/1.")
    package var json = false

    @Option(
        help: ArgumentHelp("Keeps states, logs and recordings in this folder.", valueName: "dir"),
        completion: .directory)
    package var keep: String?

    @Option(
        help: ArgumentHelp(
            "Kills node I (the first is 0) at second T of the talk; may be given again.", valueName: "i@t"))
    package var kill: [NodeAtTime] = []

    @Option(help: ArgumentHelp("Kills node I at second T, and starts it again; may be given again.", valueName: "i@t"))
    package var restart: [NodeAtTime] = []

    @Option(
        help: ArgumentHelp(
            "Cuts nodes I and J off from each other from second T on; may be given again.", valueName: "i-j@t"))
    package var block: [PairAtTime] = []

    package init() {}

    /// - Throws: `ValidationError` if there are too few or too many nodes or seconds, or a fault names a missing node.
    package func validate() throws {
        guard (LabLimits.nodesMin...LabLimits.nodesMax).contains(nodes) else {
            throw ValidationError("--nodes must be \(LabLimits.nodesMin) to \(LabLimits.nodesMax)")
        }
        guard (1...min(nodes, LabLimits.channelsMax)).contains(channels) else {
            throw ValidationError("--channels must be 1 to \(min(nodes, LabLimits.channelsMax))")
        }
        guard 0 < seconds, seconds <= Double(LabLimits.secondsMax) else {
            throw ValidationError("--seconds must be above 0 and at most \(LabLimits.secondsMax)")
        }
        guard faults.flatMap(\.nodes).allSatisfy({ $0 < nodes }) else {
            throw ValidationError("there are nodes 0 to \(nodes - 1) only")
        }
    }

    /// Runs the lab, and prints its report.
    /// - Throws: `ExitCode.failure` if the lab could not run (the reason is printed), or if its report is not passed;
    ///   `StandardOutputFault` if the report cannot be written.
    package func run() throws {
        Interruption.listen()
        let plan = LabPlan(
            nodes: nodes, channels: channels, length: Interval(nanoseconds: Int64(seconds * 1e9)), faults: faults)
        let folder: LabFolder
        do {
            folder = try LabFolder(keep: keep)
        } catch {
            throw failure(error)
        }
        defer { folder.remove() }
        let lab = LabRun(plan: plan, folder: folder)
        if !json { try show("\(nodes) nodes talk for \(Int(plan.schedule.length.seconds.rounded(.up))) s …") }
        do {
            try lab.run()
        } catch {
            throw failure(error)
        }
        let report = LabReport(of: lab)
        try show(json ? LabCommand.document(report) : LabTable.text(report))
        if !report.isPassed { throw ExitCode.failure }
    }

    private var faults: [Fault] {
        kill.map { Fault(.kill($0.node), at: $0.at) } + restart.map { Fault(.restart($0.node), at: $0.at) }
            + block.map { Fault(.block($0.first, $0.second), at: $0.at) }
    }

    private func show(_ text: String) throws {
        do throws(StandardOutputFault) {
            try StandardOutput.write(text + "\n")
        } catch {
            // The judgement counts, also where nobody reads the report.
            guard error.isReaderGone else { throw error }
        }
    }

    private func failure(_ error: any Error) -> ExitCode {
        try? FileHandle.standardError.write(contentsOf: Data("partyline lab: \(error)\n".utf8))
        return ExitCode.failure
    }

    private static func document(_ report: LabReport) -> String {
        String(decoding: DocumentJSON.bytes(of: report), as: UTF8.self)
    }
}
