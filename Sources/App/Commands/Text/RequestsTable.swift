package import NodeRuntime

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
