import ArgumentParser
import ControlPlane
package import NodeRuntime

struct CallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls", abstract: "Lists the calls of others, and those of this node with the answers.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.calls/1.")
    var json = false

    func run() throws {
        let document = try node.ask(CallsRequest())
        if json {
            try Output.document(document)
        } else {
            try Output.lines(CallTable(document, paint: .ofTerminal).lines)
        }
    }
}

/// `partyline calls` for people, in 80 columns:
///
///     FROM         ID    TO           STATE      LEFT TEXT
///     LX           1a2b  you          shown       24s ready?
///
/// and below it the calls of this node, with what each receiver has answered.
package struct CallTable {
    private let document: CallsDocument
    private let paint: Paint

    package init(_ document: CallsDocument, paint: Paint) {
        self.document = document
        self.paint = paint
    }

    /// The lines, without line feeds.
    package var lines: [String] {
        let calls = incoming + outgoing
        let quiet = document.doNotDisturb ? [CallTable.doNotDisturb] : []
        return (calls.isEmpty ? ["no calls"] : calls) + quiet
    }

    private var incoming: [String] {
        guard !document.incoming.isEmpty else { return [] }
        return [paint(row("FROM", "ID", "TO", "STATE", "LEFT") + "TEXT", .faint)]
            + document.incoming.map { call in
                let target = call.target == "peer" ? "you" : CallTable.target(call.target, call.channel)
                let label = row(
                    Output.safe(call.name), CallTable.short(call.id), target, CallTable.state(call.state, call.urgent),
                    CallTable.left(call.leftS))
                return label + Columns.fit(Output.safe(call.text ?? ""), CallTable.textColumns)
            }
    }

    private var outgoing: [String] {
        guard !document.outgoing.isEmpty else { return [] }
        return [paint(row("MINE", "ID", "TO", "STATE", "LEFT") + "ANSWERS", .faint)]
            + document.outgoing.flatMap { call in
                let peer = call.target == "peer" ? call.receivers.first.map { Output.safe($0.name) } : nil
                let label = row(
                    Output.safe(call.text ?? "-"), CallTable.short(call.id),
                    peer ?? CallTable.target(call.target, call.channel), CallTable.state(call.state, call.urgent),
                    CallTable.left(call.leftS))
                return Columns.wrapped(
                    call.receivers.map { "\(Output.safe($0.name)) \(Output.safe($0.answer))" }, label: label)
            }
    }

    static let doNotDisturb = "do-not-disturb is on: only urgent calls are shown"
    private static let textColumns = 24

    private func row(_ who: String, _ id: String, _ target: String, _ state: String, _ left: String) -> String {
        [
            Columns.left(who, 12), Columns.left(id, 4), Columns.left(target, 14), Columns.left(state, 11),
            Columns.right(left, 4), "",
        ].joined(separator: " ")
    }

    private static func target(_ word: String, _ channel: String?) -> String {
        channel.map { "#" + Output.safe($0) } ?? Output.safe(word)
    }

    /// The state; an urgent call has a `!`.
    private static func state(_ state: String, _ isUrgent: Bool) -> String {
        Output.safe(state) + (isUrgent ? "!" : "")
    }

    private static func left(_ seconds: Double) -> String { 0 < seconds ? Figures.age(seconds) : "-" }

    /// The beginning of an id, by which a person names the call.
    private static func short(_ id: String) -> String { String(Output.safe(id).prefix(4)) }
}
