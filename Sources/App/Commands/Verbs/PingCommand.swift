import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

struct PingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Measures the round trip to a peer over its link.",
        discussion: "One measurement a second. Exit code 1 if the peer answers none.")

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
        var answers: [Double] = []
        for attempt in 1...count {
            if 1 < attempt { Thread.sleep(forTimeInterval: 1) }
            let ping = try client.ask(PingRequest(peer: peer), timeoutSeconds: NodeChoice.timeoutSeconds)
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
