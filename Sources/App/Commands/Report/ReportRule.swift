import NodeRuntime

/// How the report shows a text field. A text field without a rule is left out; numbers and truth values stay.
enum ReportRule {
    /// A word of the program: shown if every word in it is one of `vocabulary` or begins with a digit.
    case word
    /// A sentence of the program. Names, addresses and paths in it are replaced.
    case sentence
    /// A name: replaced as a whole.
    case name(StandIns.Kind)
    case address
    case path

    /// By the keys that lead to a field, without the indexes of lists.
    static let table: [String: ReportRule] = [
        "system.kernel": .sentence, "system.machine": .sentence, "system.distribution": .sentence,
        "system.swift": .word, "version": .word,
        "devices.inputs.name": .sentence, "devices.inputs.text": .sentence,
        "devices.outputs.name": .sentence, "devices.outputs.text": .sentence,
        "mistakes": .sentence,
    ].merging(settings) { $1 }.merging(status) { $1 }.merging(found) { $1 }.merging(doctor) { $1 }

    private static let status: [String: ReportRule] = [
        "status.node.name": .name(.node), "status.node.id": .name(.node), "status.node.short_id": .name(.node),
        "status.node.mesh": .name(.mesh), "status.node.channels": .name(.channel), "status.node.listen": .address,
        "status.node.admission": .word, "status.node.control": .path, "status.node.version": .word,
        "status.node.warnings": .sentence,
        "status.audio.input": .sentence, "status.audio.output": .sentence, "status.audio.output2": .sentence,
        "status.audio.state": .sentence, "status.audio.talk_mode": .word, "status.audio.keys_down": .name(.key),
        "status.audio.profile": .word, "status.audio.encoder_why": .sentence, "status.audio.recording": .path,
        "status.audio.real_time": .sentence, "status.audio.speaking.stages": .word,
        "status.audio.speaking.floor": .word,
        "status.discovery.avahi": .sentence, "status.discovery.beacon": .sentence, "status.discovery.peers": .sentence,
        "status.health": .sentence,
        "status.peers.name": .name(.peer), "status.peers.id": .name(.peer), "status.peers.short_id": .name(.peer),
        "status.peers.state": .word, "status.peers.presence": .word, "status.peers.path": .sentence,
        "status.peers.carrier_via": .name(.peer), "status.peers.link": .word, "status.peers.endpoint": .address,
        "status.peers.codec": .word, "status.peers.talks_to": .word, "status.peers.last_failure": .sentence,
        "status.peers.trust": .word, "status.peers.other_key": .name(.peer),
        "status.peers.voice_out.why": .sentence,
        "status.matrix.names": .name(.peer), "status.matrix.rows.path": .word,
    ]

    private static let found: [String: ReportRule] = [
        "found.nodes.name": .name(.peer), "found.nodes.id": .name(.peer), "found.nodes.short_id": .name(.peer),
        "found.nodes.why": .word, "found.nodes.text": .sentence, "found.nodes.addresses": .address,
        "found.meshes.name": .name(.mesh), "found.meshes.addresses": .address, "found.meshes.signs": .word,
    ]

    private static let doctor: [String: ReportRule] = [
        "doctor.mesh": .name(.mesh), "doctor.admission": .word, "doctor.checks.verdict": .word,
        "doctor.checks.subject": .sentence,
        "doctor.checks.finding": .sentence, "doctor.checks.remedy": .sentence,
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
        case .input, .output, .output2, .programme: .sentence
        default: .word
        }
    }

    /// Words that tell nothing of anybody.
    static let vocabulary: Set<String> = Set(
        [
            "direct", "via", "carrier", "none", "self", "unknown", "relay", "unmet", "present", "suspected", "dead",
            "left", "you", "all", "free", "taken", "opus", "pcm", "echo", "cancel", "denoise", "high", "pass", "howl",
            "guard", "gate", "agc", "pitch", "reverb", "true", "false", "warn", "fail", "beacon", "avahi", "anyone",
            "nobody", "or", "newer", "down", "connecting", "inviting", "awaitingInvite", "awaitingDecision", "up",
            "verifying", "quarantined", "met", "trusted", "verified", "denied",
        ]
    ).union(TalkMode.allCases.map(\.rawValue)).union(VoiceProfileName.allCases.map(\.rawValue))
        .union(DiscoverDocument.Why.allCases.map(\.rawValue))
        .union(DiscoveryChoice.allCases.map(\.rawValue)).union(LoudnessChoice.allCases.map(\.rawValue))
        .union(AdmissionChoice.allCases.map(\.rawValue)).union(LogLevelName.allCases.map(\.rawValue)).union(
            Tone.allCases.map(\.rawValue))
}
