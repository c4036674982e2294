import NodeRuntime

/// The upper lines of `partyline top`: the node, a call that waits, the talk key and levels, its health, and its sound.
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
        [node] + call + [talk] + TopTalkKeys(view.keys, columns: columns, paint: paint).lines + [health]
            + closedMesh + [sound]
    }

    /// The newest call that waits for an answer. A narrow terminal cuts off its text first, and then its age.
    private var call: [String] {
        let calls = OpenCall.all(view.status)
        guard let newest = calls.last else { return [] }
        let others = calls.count == 1 ? "" : "  (+\(calls.count - 1): partyline calls)"
        let end = "\(others)  press a to answer"
        let text = Columns.fit("\(newest.title), \(newest.more)", columns - Columns.width(end))
        return [paint(Columns.fit(text + end, columns), .marked)]
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
            node.doNotDisturb ? "DO NOT DISTURB" : "",
            "\(mesh.linksUp) of \(mesh.peersKnown) linked", "up \(Figures.age(node.uptimeS))",
            node.guest ? "guest" : "", node.advertised ? "" : "not advertised",
            view.status.audio.recording == nil ? "" : "RECORDING",
        ]
        return joined(pieces)
    }

    /// The talk key, its mode, where it speaks, and both levels.
    private var talk: String {
        let audio = view.status.audio
        let levels =
            "in \(LevelMeter.text(audio.levelInDbfs)) \(Columns.right(Figures.level(audio.levelInDbfs), 3))"
            + "  out \(LevelMeter.text(audio.levelOutDbfs)) \(Columns.right(Figures.level(audio.levelOutDbfs), 3))"
        let targets = view.talkTargets.joined(separator: ", ")
        let modes = view.talkModes.map { Output.safe($0) }.joined(separator: "+")
        let place = targets.isEmpty ? "no channel to talk on" : "on \(targets)"
        let key = TopHead.key(audio)
        let room = columns - Columns.width(levels) - Columns.width(key.word) - 2
        guard 8 <= room else { return paint(Columns.fit(key.word, columns), key.tone) }
        return paint(key.word, key.tone) + " " + Columns.left("\(modes) \(place)", room) + " " + levels
    }

    private static func key(_ audio: StatusDocument.Audio) -> (word: String, tone: Paint.Tone?) {
        if audio.speaking?.coughing == true { return (" COUGH  ", .attention) }
        if audio.speaking?.keyStuck == true { return (" STUCK  ", .bad) }
        if audio.talking { return (" TALKING ", .marked) }
        return audio.speaking?.floor == "taken" ? (" BUSY   ", .attention) : (" silent ", .faint)
    }

    private var health: String {
        if let first = view.trouble ?? view.refusal {
            return paint(Columns.fit("! \(Output.safe(first))", columns), .bad)
        }
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

/// The talk keys in `partyline top`, where the node has several: the terminal's key, the name and the targets of each.
/// A key that is down stands in brackets.
struct TopTalkKeys {
    private let keys: [KeysDocument.Key]
    private let columns: Int
    private let paint: Paint

    init(_ document: KeysDocument, columns: Int, paint: Paint) {
        keys = document.keys.count == 1 ? [] : document.keys
        self.columns = columns
        self.paint = paint
    }

    private static let linesMax = 2
    private static let label = "keys "
    /// The widest piece, and the columns that are kept free for the number of the rest.
    private static let (pieceMax, moreColumns) = (26, 4)

    /// At most two lines; none for a single key. If not all keys fit, the number of the others stands at the end.
    var lines: [String] {
        let room = columns - TopTalkKeys.label.count - TopTalkKeys.moreColumns
        guard 0 < room else { return [] }
        var lines: [String] = []
        var rest = keys[...]
        while !rest.isEmpty, lines.count < TopTalkKeys.linesMax {
            let shown = rest.prefix(count(of: rest, columns: room))
            rest = rest.dropFirst(shown.count)
            let isLast = lines.count == TopTalkKeys.linesMax - 1
            let more = isLast && !rest.isEmpty ? " +\(rest.count)" : ""
            let label = lines.isEmpty ? TopTalkKeys.label : String(repeating: " ", count: TopTalkKeys.label.count)
            lines.append(label + shown.map { painted($0, columns: room) }.joined(separator: " ") + more)
        }
        return lines
    }

    /// The number of keys that fit in one line; at least one, which is cut.
    private func count(of keys: ArraySlice<KeysDocument.Key>, columns: Int) -> Int {
        var (count, used) = (0, 0)
        for key in keys {
            used += Columns.width(words(key, columns: columns)) + (count == 0 ? 0 : 1)
            guard used <= columns else { break }
            count += 1
        }
        return max(1, count)
    }

    private func painted(_ key: KeysDocument.Key, columns: Int) -> String {
        paint(words(key, columns: columns), key.stuck ? .bad : key.talking ? .marked : key.down ? .attention : nil)
    }

    private func words(_ key: KeysDocument.Key, columns: Int) -> String {
        let targets = KeysTable.targets(of: key).joined(separator: ", ")
        let letter = key.terminalKey.map { Output.safe($0) + " " } ?? ""
        let text = "\(letter)\(Output.safe(key.name)): \(targets.isEmpty ? "nobody" : targets)"
        let fitted = Columns.fit(text, min(TopTalkKeys.pieceMax, columns) - 2)
        return key.down ? "[\(fitted)]" : " \(fitted) "
    }
}

extension TopView {
    /// The keys by which this node talks now; while it is silent, the first one.
    private var talkKeys: [KeysDocument.Key] {
        let talking = keys.keys.filter(\.talking)
        return talking.isEmpty ? Array(keys.keys.prefix(1)) : talking
    }

    /// Where these keys talk, each target once.
    var talkTargets: [String] { talkKeys.flatMap(KeysTable.targets(of:)).eachOnce }

    /// The modes of these keys, each once. A latched key talks on without a finger, and a ptt key does not.
    var talkModes: [String] { talkKeys.map(\.mode).eachOnce }
}
