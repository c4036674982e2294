package import NodeRuntime

/// The known keys for people, in 80 columns:
///
///     NAME             ID        TRUST     FIRST       LAST
///     LX-DESK          91c3-0b11 verified  2026-11-01  here
///
/// A `?` before a name marks one that is known under another key.
package struct KnownKeysTable {
    private let document: KnownKeysDocument

    package init(_ document: KnownKeysDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        let notes = [
            document.kept ? "" : "this node can store nothing: the keys are forgotten when it ends",
            document.dropped == 0 ? "" : "\(document.dropped) keys were not kept: there is no room",
        ].filter { !$0.isEmpty }
        guard !document.keys.isEmpty else { return ["no keys known yet"] + notes }
        let heading = row("NAME", "ID", "TRUST", "FIRST", "LAST")
        return [heading]
            + document.keys.map { key -> String in
                let name = key.name.isEmpty ? "-" : Output.safe(key.name)
                return row(
                    KnownKeyWords.listed(name, isSuspect: key.otherKey != nil), Output.safe(key.shortId),
                    key.blocked ? "blocked" : Output.safe(key.trust), KnownKeyWords.day(key.firstSeenUnixS),
                    key.here ? "here" : KnownKeyWords.day(key.lastSeenUnixS))
            } + notes
    }

    private func row(_ name: String, _ id: String, _ trust: String, _ first: String, _ last: String) -> String {
        [Columns.left(name, 24), Columns.left(id, 9), Columns.left(trust, 9), Columns.left(first, 10), last]
            .joined(separator: " ")
    }
}
