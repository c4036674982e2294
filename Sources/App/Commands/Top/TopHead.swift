import NodeRuntime

/// The upper lines of `partyline top`: the node, its talk key and levels, its health, and its sound.
struct TopHead {
    private let view: TopView
    private let columns: Int
    private let paint: Paint

    init(_ view: TopView, columns: Int, paint: Paint) {
        self.view = view
        self.columns = columns
        self.paint = paint
    }

    var lines: [String] {
        [node, talk] + TopTalkKeys(view.keys, columns: columns, paint: paint).lines + [health]
            + closedMesh + [sound]
    }

    private var closedMesh: [String] {
        guard view.status.node.closedMeshNear else { return [] }
        return [paint(Columns.fit(MeshAccess.closedMeshIsHere, columns), .attention)]
    }

    private var node: String {
        let (node, mesh) = (view.status.node, view.status.mesh)
        let asking = view.status.peers.count { $0.asksSinceS != nil }
        let pieces = [
            Output.safe(node.name), node.profile.role.map { Output.safe($0) } ?? "", Output.safe(node.shortId),
            "\(node.access.word) mesh \(Output.safe(node.mesh))",
            asking == 0 ? "" : "\(asking) ASK: partyline requests",
            "\(mesh.linksUp) of \(mesh.peersKnown) linked", "up \(Figures.age(node.uptimeS))",
            node.guest ? "guest" : "", node.advertised ? "" : "not advertised",
            view.status.audio.recording == nil ? "" : "RECORDING",
        ]
        return joined(pieces)
    }

    /// The talk key, where it speaks, and both levels.
    private var talk: String {
        let audio = view.status.audio
        let levels =
            "in \(LevelMeter.text(audio.levelInDbfs)) \(Columns.right(Figures.level(audio.levelInDbfs), 3))"
            + "  out \(LevelMeter.text(audio.levelOutDbfs)) \(Columns.right(Figures.level(audio.levelOutDbfs), 3))"
        let targets = view.talkTargets.joined(separator: ", ")
        let place = targets.isEmpty ? "no channel to talk on" : "on \(targets)"
        let key = TopHead.key(audio)
        let room = columns - Columns.width(levels) - Columns.width(key.word) - 2
        guard 8 <= room else { return paint(Columns.fit(key.word, columns), key.tone) }
        return paint(key.word, key.tone) + " " + Columns.left("\(Output.safe(audio.talkMode)) \(place)", room) + " "
            + levels
    }

    private static func key(_ audio: StatusDocument.Audio) -> (word: String, tone: Paint.Tone?) {
        if audio.speaking?.coughing == true { return (" COUGH  ", .attention) }
        if audio.speaking?.keyStuck == true { return (" STUCK  ", .bad) }
        if audio.talking { return (" TALKING ", .marked) }
        return audio.speaking?.floor == "taken" ? (" BUSY   ", .attention) : (" silent ", .faint)
    }

    private var health: String {
        if let trouble = view.trouble { return paint(Columns.fit("! \(Output.safe(trouble))", columns), .bad) }
        guard view.status.isDegraded else {
            let room = max(0, columns - 9)
            let access = view.status.node.access
            return paint(Columns.fit("healthy", columns), .good) + (room == 0 ? "" : "  ")
                + paint(Columns.fit(room == 0 ? "" : access.line, room), access.tone)
        }
        let troubles = view.status.health + [MissingLinks.sentence(view.status)].compactMap { $0 }
        let more = troubles.count == 1 ? "" : "  (+\(troubles.count - 1): partyline status)"
        let first = Columns.fit("! \(Output.safe(troubles[0]))", columns - Columns.width(more))
        return paint(Columns.fit(first + more, columns), .bad)
    }

    private var sound: String {
        let audio = view.status.audio
        let rate = audio.bitrateKbps.map { "\(Figures.whole($0, columns: 4)) kb/s" }
        let frame = audio.frameMs.map { "\(Figures.decimal($0, columns: 5)) ms" }
        let pieces = [
            "from \(Output.safe(audio.input))", "to \(Output.safe(audio.output))",
            [Output.safe(audio.profile), frame, rate].compactMap { $0 }.joined(separator: " "),
            "xruns \(audio.xrunsCapture)/\(audio.xrunsPlayback)",
            0 < audio.dimDb ? "dimmed by \(Figures.decimal(audio.dimDb, columns: 5)) dB" : "",
        ]
        return joined(pieces)
    }

    private func joined(_ pieces: [String]) -> String {
        Columns.fit(pieces.filter { !$0.isEmpty }.joined(separator: "  "), columns)
    }
}
