import ArgumentParser
import ControlPlane
package import NodeRuntime

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Prints events, one a line, until Ctrl-C or the end of the node.",
        discussion: "Exit code 3 if the node ends.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints a document partyline.event/1 on each line.")
    var json = false
    @Option(
        help: ArgumentHelp("Only these kinds, with commas between; docs/CONTROL.md lists them.", valueName: "a,b"))
    var kind: String?

    /// The kinds that were named; nil for all.
    private var kinds: [String]? { kind?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

    func validate() throws {
        // The node may be of a later version, so it alone knows all kinds. An empty word is wrong everywhere.
        guard kinds?.contains("") != true else { throw ValidationError("--kind takes words with commas between") }
    }

    func run() throws {
        let client = try node.connect()
        try client.ask(EventsRequest(kinds: kinds), timeoutSeconds: NodeChoice.timeoutSeconds)
        do {
            try printEvents(of: client)
        } catch ControlClientError.closed {
            throw CommandEnd.nodeEnded
        }
    }

    /// Returns only by an error.
    private func printEvents(of client: ControlClient) throws -> Never {
        while true {
            guard let event = try client.nextEvent(EventDocument.self, timeoutSeconds: 3_600) else { continue }
            if json {
                try Output.compactDocument(event)
            } else {
                try Output.line(EventLine.text(event))
            }
        }
    }
}

/// An event for people: `14:03:07.250 peer_up               LX-DESK is here`.
package enum EventLine {
    /// The local time of day, the kind and the sentence.
    package static func text(_ event: EventDocument) -> String {
        let kind = Columns.left(Output.safe(event.kind), kindColumns)
        return "\(TimeOfDay.milliseconds(event.atUnixS)) \(kind) \(Output.safe(event.text))"
    }

    private static let kindColumns = EventKind.allCases.map(\.rawValue.count).max() ?? 0
}
