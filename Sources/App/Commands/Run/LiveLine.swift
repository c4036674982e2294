package import NodeRuntime

/// The line of status that a node shows while it runs in a terminal.
package enum LiveLine {
    /// Returns the line, for example
    /// `TALK   FOH  main  closed mesh  2/2 peers  LX-DESK, SM  in -31  out -18  SM talking  space talks, q ends`.
    /// In a narrow terminal the levels go first, then the names that do not change, and the keys last.
    /// - Parameter columns: width of the terminal; 0 if it is not known.
    package static func text(_ status: StatusDocument, columns: Int) -> String {
        let talkers = status.peers.filter(\.talking).map { peer in
            peer.listedName + (peer.talksTo == "you" ? " (privately)" : "")
        }
        let call = OpenCall.all(status).last.map { "\($0.title), a answers" }
        let asking = status.peers.filter { $0.asksSinceS != nil }.map(\.listedName)
        let linked = status.peers.filter(\.isLinked).map(\.listedName)
        let trouble = status.health.first ?? (status.mesh.cliqueComplete ? nil : "not all linked")
        let pieces = [
            Piece(state(status.audio)), Piece(call ?? ""),
            Piece(Output.safe(status.node.name), goes: 2), Piece(Output.safe(status.node.channel), goes: 4),
            Piece("\(status.node.access.word) mesh"),
            Piece(asking.isEmpty ? "" : "\(asking.joined(separator: ", ")) \(asking.count == 1 ? "asks" : "ask")"),
            Piece("\(status.mesh.linksUp)/\(status.mesh.peersKnown) peers"),
            Piece(linked.count <= peersNamedMax ? linked.joined(separator: ", ") : "", goes: 3),
            Piece("in \(Figures.level(status.audio.levelInDbfs))", goes: 1),
            Piece("out \(Figures.level(status.audio.levelOutDbfs))", goes: 1),
            Piece(talkers.isEmpty ? "" : talkers.joined(separator: ", ") + " talking"),
            Piece(trouble.map { "! \(Output.safe($0))" } ?? ""),
            Piece(
                status.audio.keyCount < 2 ? "space talks, c coughs, q ends" : "space 1-8 talk, c coughs, q ends",
                goes: 5),
        ].filter { !$0.text.isEmpty }
        // One column stays free, because some terminals wrap a line that fills the last column.
        let room = max((columns == 0 ? Columns.lineMax : columns) - 1, 10)
        var line = ""
        for gone in 0...(pieces.map(\.goes).max() ?? 0) {
            line = pieces.filter { $0.goes == 0 || gone < $0.goes }.map(\.text).joined(separator: "  ")
            if Columns.width(line) <= room { break }
        }
        return Columns.fit(line, room)
    }

    private static let peersNamedMax = 4

    /// A part of the line.
    private struct Piece {
        let text: String
        /// Its turn to go if the line is too wide; 0 if it stays.
        let goes: Int

        init(_ text: String, goes: Int = 0) { (self.text, self.goes) = (text, goes) }
    }

    /// Returns the names of the keys that are down, unless it is the only key of the node.
    private static func keys(_ audio: StatusDocument.Audio) -> String {
        guard 1 < audio.keyCount, !audio.keysDown.isEmpty else { return "" }
        return " " + audio.keysDown.map { Output.safe($0) }.joined(separator: "+")
    }

    /// Returns the state of the talk keys and the names of those that are down, in five columns or more.
    private static func state(_ audio: StatusDocument.Audio) -> String {
        let words = word(audio) + keys(audio)
        return words + String(repeating: " ", count: max(0, 5 - Columns.width(words)))
    }

    private static func word(_ audio: StatusDocument.Audio) -> String {
        if audio.speaking?.coughing == true { return "COUGH" }
        if audio.speaking?.keyStuck == true { return "STUCK" }
        if audio.talking { return "TALK" }
        if audio.speaking?.floor == "taken" { return "BUSY" }
        return audio.talkMode == "vox" ? "VOX" : "-----"
    }
}
