package import NodeRuntime

/// The line of status that a node shows while it runs in a terminal.
package enum LiveLine {
    /// Returns the line, for example
    /// `TALK  FOH  main  5/5 peers  in -31  out -18  LX-DESK, SM talking  space talks, c coughs, q ends`.
    /// - Parameter columns: width of the terminal; 0 if it is not known.
    package static func text(_ status: StatusDocument, columns: Int) -> String {
        let talkers = status.peers.filter(\.talking).map { peer in
            peer.listedName + (peer.talksTo == "you" ? " (privately)" : "")
        }
        let asking = status.peers.filter { $0.asksSinceS != nil }.map(\.listedName)
        let pieces = [
            state(status.audio) + keys(status.audio), Output.safe(status.node.name), Output.safe(status.node.channel),
            "\(status.node.access.word) mesh", asking.isEmpty ? "" : "\(asking.joined(separator: ", ")) asks",
            "\(status.mesh.linksUp)/\(status.mesh.peersKnown) peers",
            "in \(Figures.level(status.audio.levelInDbfs))", "out \(Figures.level(status.audio.levelOutDbfs))",
            talkers.isEmpty ? "" : talkers.joined(separator: ", ") + " talking",
            status.isDegraded ? "! \(Output.safe(status.health.first ?? "clique incomplete"))" : "",
            status.audio.keyCount < 2 ? "space talks, c coughs, q ends" : "space 1-8 talk, c coughs, q ends",
        ]
        // One column stays free, because some terminals wrap a line that fills the last column.
        let room = (columns == 0 ? Columns.lineMax : columns) - 1
        return Columns.fit(pieces.filter { !$0.isEmpty }.joined(separator: "  "), max(room, 10))
    }

    /// Returns the names of the keys that are down, unless it is the only key of the node.
    private static func keys(_ audio: StatusDocument.Audio) -> String {
        guard 1 < audio.keyCount, !audio.keysDown.isEmpty else { return "" }
        return " " + audio.keysDown.map { Output.safe($0) }.joined(separator: "+")
    }

    /// Returns the state of the talk keys in four columns.
    private static func state(_ audio: StatusDocument.Audio) -> String {
        if audio.speaking?.coughing == true { return "MUTE" }
        if audio.speaking?.keyStuck == true { return "HELD" }
        if audio.talking { return "TALK" }
        if audio.speaking?.floor == "taken" { return "BUSY" }
        return audio.talkMode == "vox" ? "VOX " : "----"
    }
}
