import NodeRuntime

/// A call that waits for the answer of the person here, in words.
struct OpenCall {
    let id: String
    /// For example `CALL from LX on stage`.
    let title: String
    /// Its age and its text, for example `12 s ago: ready?`.
    let more: String

    /// The calls that wait, the newest last. `partyline answer` without an argument answers the newest one.
    static func all(_ status: StatusDocument) -> [OpenCall] { status.node.calls.map { OpenCall($0, status) } }

    private init(_ call: CallsDocument.Incoming, _ status: StatusDocument) {
        id = call.id
        // `listedName` marks a peer whose name is known under another key.
        let caller = status.peers.first { $0.shortId == call.peer }?.listedName ?? Output.safe(call.name)
        let target = call.channel.map { " on \(Output.safe($0))" } ?? (call.target == "all" ? " to all" : "")
        title = "\(call.urgent ? "URGENT " : "")CALL from \(caller)\(target)"
        more = "\(Figures.whole(call.ageS, columns: 4)) s ago" + (call.text.map { ": \(Output.safe($0))" } ?? "")
    }
}
