import ArgumentParser
import ControlPlane
import Foundation
package import NodeRuntime

struct LatencyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Shows the delay from mouth to ear with a peer, part by part, and the source of each figure.",
        discussion: """
            measured: by the audio threads here. reported: by the peer. computed: from other figures; the delay of \
            the network is half of the round trip. assumed: a figure of the peer, taken to be as here.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Flag(help: "Prints the document partyline.latency/1.")
    var json = false

    func run() throws {
        let document = try node.ask(LatencyRequest(peer: peer))
        if json { try Output.document(document) } else { try Output.lines(LatencyText(document).lines) }
    }
}

/// `partyline latency` for people: one table for each direction.
package struct LatencyText {
    private let document: LatencyDocument

    package init(_ document: LatencyDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        let name = Output.safe(document.name)
        return way("from \(name)'s mouth to the ear here", document.hearing) + [""]
            + way("from the mouth here to \(name)'s ear", document.heard)
    }

    private func way(_ title: String, _ way: LatencyDocument.Way) -> [String] {
        Columns.sentence(title, label: "") + way.parts.flatMap(lines(of:))
            + ["  \(Columns.left("total", 9))\(milliseconds(way.totalMs))"]
    }

    private func lines(of part: LatencyDocument.Part) -> [String] {
        let name = Columns.left(Output.safe(part.part).replacing("_", with: "-"), 9)
        let label = "  \(name)\(milliseconds(part.ms))  \(Columns.left(part.source.rawValue, 9)) "
        return Columns.sentence(Output.safe(part.text), label: label)
    }

    private func milliseconds(_ value: Double?) -> String {
        Columns.right("\(Figures.decimal(value, columns: 6)) ms", 9)
    }
}

struct PingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Measures the round trip to a peer over its link.",
        discussion: "One measurement a second. Exit code 1 if the peer answers none, 3 if the node ends.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Option(name: .shortAndLong, help: "Number of measurements, 1 to 100000.")
    var count = 4
    @Flag(help: "Prints a document partyline.ping/1 on each line.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--count takes 1 to 100000") }
    }

    func run() throws {
        let client = try node.connect()
        let request = PingRequest(peer: peer)
        var answers: [Double] = []
        for attempt in 1...count {
            if 1 < attempt { Thread.sleep(forTimeInterval: 1) }
            let ping =
                try attempt == 1
                ? client.ask(request, timeoutSeconds: NodeChoice.timeoutSeconds) : client.askAgain(request)
            if let rtt = ping.rttMs { answers.append(rtt) }
            if json { try Output.compactDocument(ping) } else { try Output.line(PingCommand.line(ping)) }
        }
        if !json { try Output.line(PingCommand.summary(sent: count, answers: answers)) }
        if answers.isEmpty { throw CommandEnd(status: .failed, message: nil) }
    }

    static func line(_ ping: PingDocument) -> String {
        let who = "\(Output.safe(ping.name)) \(Output.safe(ping.peer)) \(Output.safe(ping.path))"
        return ping.rttMs.map { "\(who): \(Figures.decimal($0, columns: 8)) ms" } ?? "\(who): no answer"
    }

    static func summary(sent: Int, answers: [Double]) -> String {
        let lost = "\(answers.count) of \(sent) answered"
        guard let least = answers.min(), let most = answers.max() else { return lost }
        let mean = answers.reduce(0, +) / Double(answers.count)
        let figures = [least, mean, most].map { Figures.decimal($0, columns: 8) }
        return "\(lost), rtt min/mean/max \(figures.joined(separator: "/")) ms"
    }
}
