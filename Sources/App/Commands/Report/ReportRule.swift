import NodeRuntime

/// How the report shows a text field. A text field without a rule is left out; numbers and truth values stay.
enum ReportRule {
    /// A word of the program: shown if every word in it is one of `vocabulary` or begins with a digit.
    case word
    /// A sentence of the program. Names, addresses and paths in it are replaced.
    case sentence
    /// A word of the program, or a sentence that may begin with one of these texts. The word and the beginning stay.
    case choice([String])
    /// A text of the program in which no name can stand.
    case fixed
    /// A sentence of the program in which no name can stand. Addresses and paths in it are replaced.
    case nameless
    /// A sound device as the settings name it: `alsa:NAME`, `file:PATH`, `tone:HZ` or `null`.
    case device
    /// What a driver says of its sound device. Names, addresses and paths in it are replaced, but for common words.
    case driversWords
    /// A name: replaced as a whole.
    case name(StandIns.Kind)
    /// A name that is left out here, and replaced where sentences contain it.
    case unshown(StandIns.Kind)
    case address
    case path

    /// By the keys that lead to a field, without the indexes of lists.
    static let table: [String: ReportRule] =
        [machine, settings, status, talk, events, details, found, doctor].reduce(into: [:]) { table, part in
            table.merge(part) { $1 }
        }

    /// The kind of thing to which a name belongs; nil for another rule.
    var kind: StandIns.Kind? {
        switch self {
        case .name(let kind), .unshown(let kind): kind
        case .word, .sentence, .choice, .fixed, .nameless, .device, .driversWords, .address, .path: nil
        }
    }

    private static let machine: [String: ReportRule] = [
        "system.kernel": .choice(["Linux "]), "system.machine": .fixed, "system.distribution": .fixed,
        "system.swift": .word, "version": .word,
        "devices.inputs.name": .device, "devices.inputs.text": .driversWords,
        "devices.outputs.name": .device, "devices.outputs.text": .driversWords,
        "mistakes": .sentence,
    ]

    private static let status: [String: ReportRule] = [
        "status.node.name": .name(.node), "status.node.id": .name(.node), "status.node.short_id": .name(.node),
        "status.node.mesh": .name(.mesh), "status.node.channels": .name(.channel),
        "status.node.channels_not_joined": .name(.channel), "status.node.listen": .address,
        "status.node.admission": .word, "status.node.control": .path, "status.node.version": .word,
        "status.node.warnings": .sentence, "status.node.duplicate": .sentence, "status.node.reload": .sentence,
        "status.mesh.split": .sentence, "status.mesh.lost": .sentence,
        "status.audio.input": .device, "status.audio.output": .device, "status.audio.output2": .device,
        "status.audio.output2_channels": .name(.channel),
        "status.audio.state": .choice([]), "status.audio.talk_mode": .word,
        "status.audio.talk_modes": .word, "status.audio.keys_down": .name(.key),
        "status.audio.profile": .word, "status.audio.encoder_why": .sentence, "status.audio.recording": .path,
        "status.audio.real_time": .fixed, "status.audio.speaking.stages": .word,
        "status.audio.speaking.floor": .word,
        "status.discovery.avahi": .fixed, "status.discovery.beacon": .choice(["on "]),
        "status.discovery.peers": .choice(["none given"]),
        "status.health": .sentence,
        "status.peers.name": .name(.peer), "status.peers.id": .name(.peer), "status.peers.short_id": .name(.peer),
        "status.peers.state": .word, "status.peers.presence": .word, "status.peers.path": .choice(["via "]),
        "status.peers.carrier_via": .name(.peer), "status.peers.link": .word, "status.peers.endpoint": .address,
        "status.peers.codec": .word, "status.peers.talks_to": .word,
        "status.peers.last_failure": .choice(FailureText.all),
        "status.peers.trust": .word, "status.peers.other_key": .name(.peer),
        "status.peers.voice_out.why": .sentence,
        "status.matrix.names": .name(.peer), "status.matrix.rows.path": .word,
        "rivals.id": .unshown(.peer), "rivals.short_id": .unshown(.peer), "rivals.name": .unshown(.peer),
    ]

    /// Channels and talk keys.
    private static let talk: [String: ReportRule] = [
        "channels.name": .name(.channel), "channels.former_names": .name(.channel), "channels.ear": .word,
        "channels.shared_with": .name(.peer),
        "channels.undecided": .name(.peer), "channels.creator_name": .name(.peer), "channels.members": .name(.peer),
        "channels.talking": .name(.peer), "channels.talk_keys": .name(.key),
        "settings.key": .name(.key), "keys.name": .name(.key), "keys.mode": .word,
        "keys.channels.name": .name(.channel), "keys.peers.name": .name(.peer), "keys.reply_to": .name(.peer),
        "keys.reaches": .name(.peer), "keys.refused_by": .name(.peer),
    ]

    /// An event is shown by its kind and details. Its sentence may hold names that no field has, the text of a call or
    /// words that two persons compare, so it is left out.
    private static let events: [String: ReportRule] = [
        "events.kind": .word, "events.peer": .name(.peer), "events.name": .name(.peer),
    ]

    private static let details = Dictionary(
        uniqueKeysWithValues: detail.map { ("events.details.\($0.key)", $0.value) })

    private static let detail: [String: ReportRule] = [
        "instance": .word, "reason": .choice([]), "path": .word, "via": .name(.peer), "flapping": .word,
        "talking": .word, "former": .name(.peer), "recording": .word, "key": .name(.key), "known_name": .name(.peer),
        "last_seen_unix_s": .word, "own": .word, "address": .address, "rtt_us": .word, "channel": .name(.channel),
        "now": .name(.channel), "target": .word, "urgent": .word, "shown": .word, "answer": .word,
        "subject": .name(.peer), "obeyed": .word, "epoch": .word, "left": .word, "linked": .word, "gap_s": .word,
        "side": .word, "device": .device, "limit_s": .word, "count": .word, "on_battery": .word,
        "charge_pct": .word, "folder": .path, "lost_s": .word,
    ]

    private static let found: [String: ReportRule] = [
        "found.nodes.name": .name(.peer), "found.nodes.id": .name(.peer), "found.nodes.short_id": .name(.peer),
        "found.nodes.why": .word, "found.nodes.text": .sentence, "found.nodes.addresses": .address,
        "found.meshes.name": .name(.mesh), "found.meshes.addresses": .address, "found.meshes.signs": .word,
        "found.silent.address": .address, "found.silent.text": .sentence, "found.refused": .address,
    ]

    private static let doctor: [String: ReportRule] = [
        "doctor.mesh": .name(.mesh), "doctor.admission": .word, "doctor.checks.verdict": .word,
        "doctor.checks.subject": .fixed,
        "doctor.checks.finding": .choice([
            "closed; ", "open, and ", "not running", "degraded: ", "refused by ", "multicast goes over ",
        ]),
        "doctor.checks.remedy": .sentence,
        "doctor.nameless.verdict": .word, "doctor.nameless.subject": .fixed, "doctor.nameless.finding": .nameless,
        "doctor.nameless.remedy": .nameless,
    ]

    /// The place whose rules hold for the fields of an object. A check of `doctor` has other rules if it names nobody:
    /// one of these parts of the machine, or one without a fault, unless it names network interfaces.
    static func place(of tree: ReportTree, at place: String) -> String {
        guard place == "doctor.checks", let subject = tree.text("subject") else { return place }
        let hasNoFault = tree.text("verdict") == DoctorDocument.Verdict.pass.rawValue
        return partsOfMachine.contains(subject) || hasNoFault && subject != "network" ? "doctor.nameless" : place
    }

    private static let partsOfMachine: Set<String> = [
        "control socket", "sound", "speech processing", "system bus", "Avahi", "port", "real time", "open files",
    ]

    /// The settings by the form of their values.
    private static let settings = Dictionary(
        uniqueKeysWithValues: RunKey.allCases.compactMap { key in rule(of: key).map { ("settings.\(key.rawValue)", $0) }
        })

    private static func rule(of key: RunKey) -> ReportRule? {
        switch key {
        case .name, .nick: .name(.node)
        case .role, .grantPrivate, .grantAll, .grantCallAll, .grantCloseMicrophone, .grantPriority: .name(.role)
        case .colour: nil
        case .mesh: .name(.mesh)
        case .channel, .output2Channel, .programmeChannel: .name(.channel)
        case .stateDir, .control, .crew, .codeFile, .channelCodeFile: .path
        case .listen, .peer, .reach: .address
        case .input, .output, .output2, .programme: .device
        default: .word
        }
    }

    /// Words that tell nothing of anybody.
    static let vocabulary: Set<String> = wordsOfChoices.union(wordsOfEvents)

    private static let wordsOfEvents: [String] = EventKind.allCases.flatMap { kind in
        kind.rawValue.split(separator: "_").map(String.init)
    }

    private static let wordsOfChoices: Set<String> = Set(
        [
            "direct", "via", "carrier", "none", "self", "unknown", "relay", "unmet", "present", "suspected", "dead",
            "left", "you", "all", "free", "taken", "opus", "pcm", "echo", "cancel", "denoise", "high", "pass", "howl",
            "guard", "gate", "agc", "pitch", "reverb", "true", "false", "warn", "fail", "beacon", "avahi", "anyone",
            "nobody", "or", "newer", "down", "connecting", "inviting", "awaitingInvite", "awaitingDecision", "up",
            "verifying", "quarantined", "met", "trusted", "verified", "denied", "both", "right", "input", "output",
            "output2", "programme", "shown", "accepted", "declined", "withdrawn",
        ]
    ).union(TalkMode.allCases.map(\.rawValue)).union(VoiceProfileName.allCases.map(\.rawValue))
        .union(DiscoverDocument.Why.allCases.map(\.rawValue))
        .union(DiscoveryChoice.allCases.map(\.rawValue)).union(LoudnessChoice.allCases.map(\.rawValue))
        .union(AdmissionChoice.allCases.map(\.rawValue)).union(LogLevelName.allCases.map(\.rawValue)).union(
            Tone.allCases.map(\.rawValue))
}
