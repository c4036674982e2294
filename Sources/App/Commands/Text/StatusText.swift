package import NodeRuntime

/// `partyline status` for people, in 80 columns: health first, then the node, then a row for each peer.
package struct StatusText {
    private let document: StatusDocument
    private let paint: Paint
    private let isForTerminal: Bool

    /// - Parameter isForTerminal: whether the first line, too, ends after 80 columns. A script reads it as a whole.
    package init(_ document: StatusDocument, paint: Paint, isForTerminal: Bool = true) {
        self.document = document
        self.paint = paint
        self.isForTerminal = isForTerminal
    }

    /// The lines, without line feeds.
    package var lines: [String] {
        let above = health + closedMesh + pairing + asking + calls
        return above + node + audio + mesh + discovery + [""]
            + PeerTable(document.peers, paint: paint).lines + direct + roles
            + keys + recorders
            + sending
    }

    private var health: [String] {
        guard document.isDegraded else { return first("ok", .good) }
        let missing = [MissingLinks.sentence(document)].compactMap { $0 }
        let notes = (document.health + missing).flatMap { Columns.sentence(Output.safe($0), label: "      - ") }
        return first("degraded", .bad) + notes
    }

    /// The word for the health, and who can listen. The end of that sentence matters as much as its beginning, so it is
    /// never cut.
    private func first(_ word: String, _ tone: Paint.Tone) -> [String] {
        let access = document.node.access
        let label = "health  \(word)  "
        let lines = isForTerminal ? Columns.sentence(access.line, label: label) : [label + access.line]
        return lines.enumerated().map { index, line in
            let text = paint(String(line.dropFirst(label.count)), access.tone)
            let before = index == 0 ? "health  " + paint(word, tone) + "  " : String(repeating: " ", count: label.count)
            return before + text
        }
    }

    /// The person may have meant to be in a closed mesh.
    private var closedMesh: [String] {
        guard !document.node.meshClosed else { return [] }
        let near = document.node.closedMeshNear ? [MeshAccess.closedMeshIsHere] : []
        let names = document.peers.filter { $0.lastFailure == FailureText.otherMesh }.map(\.listedName)
        let others = names.map {
            "\($0) is in a closed mesh, or in an open one of another name; with the code of a closed one: "
                + "`partyline enter`"
        }
        return (near + others).flatMap { Columns.sentence($0, label: "note    ") }
    }

    private var pairing: [String] {
        guard let window = document.node.pairing else { return [] }
        let tries = "\(window.triesLeft) \(window.triesLeft == 1 ? "failure closes" : "failures close") it"
        let seconds = Int(window.openS)
        let time = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        let pieces = ["open for \(time)", tries, "partyline code pair --close"]
        return Columns.wrapped(pieces, label: "pairing ")
    }

    /// The peers that ask to be linked: the person here has to decide.
    private var asking: [String] {
        let asking = document.peers.filter { $0.asksSinceS != nil }
        guard !asking.isEmpty else { return [] }
        let pieces = asking.map { "\($0.listedName) (\(Output.safe($0.shortId)))" }
        return Columns.wrapped(pieces + ["partyline requests"], label: "asking  ")
    }

    /// The calls that wait, a line each, and a setting that hides calls. `partyline answer` takes the first one.
    private var calls: [String] {
        let waiting = OpenCall.all(document).reversed().map { "\($0.title), \($0.more)" }
        let hint = waiting.count < 2 ? "`partyline answer` takes it" : "`partyline answer` takes the first one"
        let quiet = document.node.doNotDisturb ? [CallTable.doNotDisturb] : []
        let lines = waiting + (waiting.isEmpty ? [] : [hint]) + quiet
        return lines.enumerated().flatMap { index, line in
            Columns.wrapped([line], label: index == 0 ? "calls   " : "        ")
        }
    }

    private var node: [String] {
        let node = document.node
        let pieces = [
            Output.safe(node.name), node.profile.role.map { Output.safe($0) } ?? "", Output.safe(node.shortId),
            "inst \(node.instance)",
            "up \(Figures.age(node.uptimeS))",
            "mesh \(Output.safe(node.mesh))", node.channels == [node.channel] ? "on \(Output.safe(node.channel))" : "",
            node.guest ? "guest" : "",
        ]
        let listening = node.listen.isEmpty ? [] : Columns.wrapped(node.listen.map(Output.safe), label: "listen  ")
        // A warning that the health names stands there.
        let warnings = node.warnings.filter { !document.health.contains($0) }
            .flatMap { Columns.sentence(Output.safe($0), label: "note    ") }
        return Columns.wrapped(pieces, label: "node    ") + channels + listening + warnings
    }

    /// The channels that the node has joined, in a line of their own; none for one on which it also talks.
    private var channels: [String] {
        let node = document.node
        guard node.channels != [node.channel] else { return [] }
        let names = node.channels.isEmpty ? ["no channel"] : node.channels.map(Output.safe)
        let isTalkedAll = node.channel == node.channels.joined(separator: ", ")
        let talked = node.channel.isEmpty ? "talks on none" : "talks on \(Output.safe(node.channel))"
        return Columns.wrapped(names + (isTalkedAll ? [] : [talked]), label: "on      ")
    }

    /// The peers that talk to this node beside its channels.
    private var direct: [String] {
        func line(_ word: String, _ whom: String) -> [String] {
            let names = document.peers.filter { $0.talksTo == word }.map(\.listedName)
            return names.isEmpty ? [] : Columns.sentence("\(whom): \(names.joined(separator: ", "))", label: "talk    ")
        }
        let lines = line("you", "privately to you") + line("all", "to all")
        return lines.isEmpty ? [] : [""] + lines
    }

    private var audio: [String] {
        let audio = document.audio
        let frame = audio.frameMs.map { "\(Figures.decimal($0, columns: 5)) ms frames" } ?? ""
        let rate = audio.bitrateKbps.map { "\(Figures.whole($0, columns: 4)) kb/s" } ?? ""
        // The first key may be latched while another one talks.
        let modes = (audio.talkModes.isEmpty ? [audio.talkMode] : audio.talkModes)
            .map { Output.safe($0) }.joined(separator: "+")
        let played = audio.output2Channels.map { " (\(Output.list($0)))" } ?? ""
        let pieces = [
            "in \(Output.safe(audio.input))\(decibels(audio.levelInDbfs))",
            "out \(Output.safe(audio.output))\(decibels(audio.levelOutDbfs))",
            audio.output2.map { "and \(Output.safe($0))\(played)" } ?? "",
            "period \(Figures.decimal(audio.periodMs, columns: 5)) ms",
            "buffer \(Figures.decimal(audio.bufferMs, columns: 5)) ms",
            [Output.safe(audio.profile), frame, rate].filter { !$0.isEmpty }.joined(separator: " "),
            "xruns \(audio.xrunsCapture)/\(audio.xrunsPlayback)\(xrunsInSilence)",
            audio.outputChannels == 2 ? "stereo" : "",
            0 < audio.dimDb ? "dimmed by \(Figures.decimal(audio.dimDb, columns: 5)) dB" : "",
            audio.recording.map { "recording into \(Output.safe($0))" } ?? "",
            "talk \(audio.talking ? "ON" : "off") (\(modes))",
            audio.state == "running" ? "" : Output.safe(audio.state),
            "real time: \(Output.safe(audio.realTime))",
        ]
        return Columns.wrapped(pieces, label: "audio   ") + SpeakingText.lines(audio)
    }

    /// The xruns of playback in silence, which were not heard. Without this note a large count would seem alarming.
    private var xrunsInSilence: String {
        document.mesh.counters["audio_xruns_in_silence"].map { " (\($0) in silence)" } ?? ""
    }

    private var mesh: [String] {
        let mesh = document.mesh
        let counters = mesh.counters.sorted { $0.key < $1.key }.map { name, value in
            "\(Output.safe(name).replacing("_", with: " ")) \(value)"
        }
        let isPart = mesh.split != nil || mesh.lost != nil
        let whole = isPart ? LostPeers.partWords(linked: mesh.linksUp) : "all pairs linked"
        let links = [
            "\(mesh.linksUp) of \(mesh.peersKnown) links",
            mesh.cliqueComplete ? whole : "not all pairs linked",
            "view agreed by \(mesh.digestAgree)",
        ]
        let pieces =
            (mesh.peersKnown == 0 ? [isPart ? "no other node is in reach" : "nobody else to link with"] : links) + [
                0 < mesh.localHealth ? "own health \(mesh.localHealth) of 8 lost" : "",
                0 < mesh.pairsRelayed ? "relaying for \(mesh.pairsRelayed.counted("pair"))" : "",
            ]
        return Columns.wrapped(pieces + counters, label: "mesh    ")
    }

    private var discovery: [String] {
        guard !document.discovery.isEmpty else { return [] }
        let pieces = document.discovery.sorted { $0.key < $1.key }.map { "\(Output.safe($0)) \(Output.safe($1))" }
        return Columns.wrapped((document.node.advertised ? [] : ["not advertised"]) + pieces, label: "finding ")
    }

    /// What the peers do, as far as they say so.
    private var roles: [String] {
        let pieces = document.peers.compactMap { peer in
            peer.profile.role.map { "\(peer.listedName): \(Output.safe($0))" }
        }
        return pieces.isEmpty ? [] : [""] + Columns.wrapped(pieces, label: "roles   ")
    }

    /// The peers for whose keys the person vouches.
    private var keys: [String] {
        let pieces = ["verified", "trusted"].compactMap { word -> String? in
            let names = document.peers.filter { $0.trust == word && $0.isLinked }.map { Output.safe($0.name) }
            return names.isEmpty ? nil : "\(word): \(names.joined(separator: ", "))"
        }
        return pieces.isEmpty ? [] : [""] + Columns.wrapped(pieces, label: "keys    ")
    }

    /// The peers that record, since people want to know it.
    private var recorders: [String] {
        let names = document.peers.filter(\.recording).map(\.listedName)
        return names.isEmpty ? [] : [""] + Columns.sentence("by \(names.joined(separator: ", "))", label: "record  ")
    }

    /// How voice is sent to the listeners and why. Listeners that are served alike share a line.
    private var sending: [String] {
        var groups: [(why: String, names: [String])] = []
        for peer in document.peers {
            guard let why = peer.voiceOut?.why else { continue }
            let name = peer.listedName
            if let index = groups.firstIndex(where: { $0.why == why }) {
                groups[index].names.append(name)
            } else {
                groups.append((why, [name]))
            }
        }
        guard !groups.isEmpty else { return [] }
        let encoder = document.audio.encoderWhy.map { Columns.sentence(Output.safe($0), label: "encoder ") } ?? []
        return [""] + encoder
            + groups.flatMap { group -> [String] in
                let names = group.names.joined(separator: ", ")
                return Columns.sentence("to \(names): \(Output.safe(group.why))", label: "sending ")
            }
    }

    private func decibels(_ level: Double?) -> String {
        level.map { " \(Figures.level($0)) dBFS" } ?? ""
    }
}

/// The user's own voice in `partyline status`. There is a line only if there is more to report than the position of the
/// key.
enum SpeakingText {
    static func lines(_ audio: StatusDocument.Audio) -> [String] {
        guard let speaking = audio.speaking else { return [] }
        let pieces = [key(speaking), chain(speaking), ears(speaking)].flatMap { $0 }
        return pieces.isEmpty ? [] : Columns.wrapped(pieces, label: "voice   ")
    }

    private static func key(_ speaking: StatusDocument.Speaking) -> [String] {
        var pieces: [String] = []
        if speaking.coughing { pieces.append("COUGH: microphone off") }
        if speaking.keyStuck { pieces.append("KEY STUCK: let go until it has been up") }
        if let isHeard = speaking.voiceHeard { pieces.append(isHeard ? "vox open" : "vox closed") }
        if let floor = speaking.floor { pieces.append(floor == "taken" ? "floor taken" : "floor free") }
        return pieces
    }

    private static func chain(_ speaking: StatusDocument.Speaking) -> [String] {
        guard !speaking.stages.isEmpty else { return [] }
        var pieces = ["before \(Figures.level(speaking.levelBeforeDbfs)) dBFS"]
        pieces += ["echo-cancel", "denoise", "high-pass"].filter(speaking.stages.contains)
        pieces += speaking.stages.filter { $0.hasPrefix("pitch") || $0.hasPrefix("reverb") }
        if let howls = speaking.howls {
            let isDown = (speaking.howlDb ?? 0) < -0.1
            pieces.append("howls \(howls)" + (isDown ? " \(Figures.level(speaking.howlDb)) dB" : ""))
        }
        if let isOpen = speaking.gateOpen { pieces.append(isOpen ? "gate open" : "gate closed") }
        if let gain = speaking.agcDb { pieces.append("agc \(Figures.level(gain)) dB") }
        return pieces
    }

    private static func ears(_ speaking: StatusDocument.Speaking) -> [String] {
        speaking.sideToneDb.map { ["side tone \(Figures.level($0)) dB"] } ?? []
    }
}
