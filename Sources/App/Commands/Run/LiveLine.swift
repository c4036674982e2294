package import NodeRuntime

/// The one line that a node shows of itself while it runs in a terminal.
package enum LiveLine {
    /// `TALK  FOH  main  5/5 peers  in -31  out -18  LX-DESK, SM talking  space talks, q quits`
    /// - Parameter columns: of the terminal; 0 where it does not say.
    package static func text(_ status: StatusDocument, columns: Int) -> String {
        let talkers = status.peers.filter(\.talking).map { Output.safe($0.name) }
        let pieces = [
            state(status.audio), Output.safe(status.node.name), Output.safe(status.node.channel),
            "\(status.mesh.linksUp)/\(status.mesh.peersKnown) peers",
            "in \(Figures.level(status.audio.levelInDbfs))", "out \(Figures.level(status.audio.levelOutDbfs))",
            talkers.isEmpty ? "" : talkers.joined(separator: ", ") + " talking",
            status.isDegraded ? "! \(Output.safe(status.health.first ?? "clique incomplete"))" : "",
            "space talks, c coughs, q leaves",
        ]
        // One column is left free, or the terminal would wrap.
        let room = (columns == 0 ? Columns.lineMax : columns) - 1
        return Columns.fit(pieces.filter { !$0.isEmpty }.joined(separator: "  "), max(room, 10))
    }

    /// What the talk key is doing, in four letters.
    private static func state(_ audio: StatusDocument.Audio) -> String {
        if audio.speaking?.coughing == true { return "MUTE" }
        if audio.speaking?.keyStuck == true { return "HELD" }
        if audio.talking { return "TALK" }
        if audio.speaking?.floor == "taken" { return "BUSY" }
        return audio.talkMode == "vox" ? "VOX " : "----"
    }
}
