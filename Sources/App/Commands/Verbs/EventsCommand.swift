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
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "First prints the latest events, up to this many. The node keeps \(EventLimits.keptMax), "
                + "none of talk or pings.",
            valueName: "n"))
    var last: Int?

    /// Interval of the checks whether the output is still read, while no event comes.
    private static let readerCheckSeconds = 1.0

    /// The kinds that were named; nil for all.
    private var kinds: [String]? {
        kind?.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { !$0.isWhitespace } }
    }

    func validate() throws {
        // The node may be of a later version, so it alone knows all kinds. An empty word is wrong everywhere.
        guard kinds?.contains("") != true else { throw ValidationError("--kind takes words with commas between") }
        if let last, last < 1 { throw ValidationError("--last takes a number from 1 on") }
    }

    func run() throws {
        let client = try node.connect()
        // The subscription comes first, so that nothing is missed between the latest events and the next one.
        try client.ask(EventsRequest(kinds: kinds), timeoutSeconds: NodeChoice.timeoutSeconds)
        let latest =
            try last == nil
            ? [] : client.ask(LatestEventsRequest(), timeoutSeconds: NodeChoice.timeoutSeconds).events
        do {
            try printEvents(of: client, after: latest)
        } catch ControlClientError.closed {
            throw CommandEnd.nodeEnded
        }
    }

    /// Returns only by an error.
    private func printEvents(of client: ControlClient, after latest: [EventDocument]) throws -> Never {
        for event in latest.filter({ kinds?.contains($0.kind) != false }).suffix(last ?? 0) { try show(event) }
        let known = Set(latest.map(\.sequence))
        while true {
            guard let event = try client.nextEvent(EventDocument.self, timeoutSeconds: EventsCommand.readerCheckSeconds)
            else {
                try StandardOutput.checkReader()
                continue
            }
            if !known.contains(event.sequence) { try show(event) }
        }
    }

    private func show(_ event: EventDocument) throws {
        if json {
            try Output.compactDocument(event)
        } else {
            try Output.line(EventLine.text(event))
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
