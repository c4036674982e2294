import ArgumentParser
import ControlPlane
package import NodeRuntime

struct RequestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "Lists the nodes that ask to be linked.",
        discussion: "With `partyline run --admission ask` you decide about each node that you have not trusted.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.requests/1.")
    var json = false

    func run() throws {
        let document = try node.ask(RequestsRequest())
        if json { try Output.document(document) } else { try Output.lines(RequestsTable(document).lines) }
    }
}

struct AcceptCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Links to a node that asks, now and later.",
        discussion: "Its key is trusted from now on. `partyline forget` takes that back.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: AcceptRequest { AcceptRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is let in" + answer.notices }
}

struct DenyCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Refuses a node that asks, now and later, and tells it so.",
        discussion: "`partyline trust` lets it in after all. After `partyline forget` you are asked again.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String

    var request: DenyRequest { DenyRequest(peer: peer) }

    func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is turned away" + answer.lossNotice }
}

/// The nodes that ask to be linked, for people, in 80 columns:
///
///     NAME                     ID        SINCE
///     FOH                      4f2a-91c0 12s
package struct RequestsTable {
    private let document: RequestsDocument

    package init(_ document: RequestsDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        guard !document.requests.isEmpty else {
            return document.admission == AdmissionChoice.ask.rawValue
                ? ["nobody asks to be linked"]
                : ["this node does not ask you: it runs with --admission \(Output.safe(document.admission))"]
        }
        return [row("NAME", "ID", "SINCE")] + document.requests.flatMap(lines)
    }

    private func lines(_ request: RequestsDocument.Request) -> [String] {
        let name = Output.safe(request.name.isEmpty ? "-" : request.name)
        let age = Figures.age(request.sinceS) + (request.connected ? "" : "  (not connected now)")
        let first = row(
            KnownKeyWords.listed(name, isSuspect: request.otherKey != nil), Output.safe(request.shortId), age)
        guard request.otherKey != nil else { return [first] }
        let warning = "this name is known under another key: `partyline peers known`"
        return [first] + Columns.sentence(warning, label: "  ! ")
    }

    private func row(_ name: String, _ id: String, _ rest: String) -> String {
        [Columns.left(name, 24), Columns.left(id, 9), rest].joined(separator: " ")
    }
}
