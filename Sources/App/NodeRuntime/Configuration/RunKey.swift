import Channels
import Recording

/// The settings of `partyline run`. Each is an option `--KEY`, and a line `KEY = …` in the configuration file.
package enum RunKey: String, CaseIterable, Hashable, Sendable {
    case name, nick, role, colour, mesh, channel, admission
    case codeFile = "code-file"
    case channelCodeFile = "channel-code-file"
    case stateDir = "state-dir"
    case control, listen, peer, reach, discovery, input, output, talk, profile, frame, period, buffer, bitrate, loudness
    case output2
    case output2Channel = "output2-channel"
    case output2Level = "output2-level"
    case programme
    case programmeChannel = "programme-channel"
    case simloss, simdelay, simjitter, simcut, replay
    case beepOnLoss = "beep-on-loss"
    case logLevel = "log-level"
    case voxLevel = "vox-level"
    case voxHang = "vox-hang"
    case keyLimit = "key-limit"
    case halfDuplex = "half-duplex"
    case highPass = "high-pass"
    case gate, agc
    case howlGuard = "howl-guard"
    case sideTone = "side-tone"
    case plain
    case echoCancel = "echo-cancel"
    case denoise, effect
    case saveBattery = "save-battery"
    case crew
    case grantPrivate = "grant-private"
    case grantAll = "grant-all"
    case grantCallAll = "grant-call-all"
    case grantCloseMicrophone = "grant-close-microphone"
    case grantPriority = "grant-priority"
    case tones

    /// Whether the setting is on or off: a flag on the command line, a truth value in the file.
    package var isSwitch: Bool { RunKey.switches.contains(self) }

    /// Whether the value in the file is a number, with or without a fraction.
    package var isNumber: Bool { RunKey.numbers.contains(self) }

    static let grants: [RunKey] = [.grantPrivate, .grantAll, .grantCallAll, .grantCloseMicrophone, .grantPriority]
    private static let switches: [RunKey] = [
        .halfDuplex, .highPass, .gate, .agc, .howlGuard, .echoCancel, .denoise, .beepOnLoss, .plain, .saveBattery,
        .simcut,
    ]
    private static let numbers: [RunKey] = [
        .frame, .period, .buffer, .voxLevel, .voxHang, .keyLimit, .sideTone, .simloss, .simdelay, .simjitter,
        .output2Level,
    ]

    /// Whether the setting may have several values: an option that may be given again, a list in the file.
    package var isList: Bool { [.peer, .reach, .channel, .channelCodeFile, .output2Channel].contains(self) || isGrant }

    /// Whether the setting says what peers may do at this node: one word, or a list of roles.
    package var isGrant: Bool { RunKey.grants.contains(self) }

    /// The form of one valid value of the option, for the message about an invalid one.
    package var optionExpectation: String {
        switch self {
        case .channel, .output2Channel: "a channel name of 1 to 24 characters"
        case .channelCodeFile: "a channel with a path, for example lights=lights.code"
        case .peer: "an address and port, for example 192.0.2.1:7400"
        case .reach: "a network, for example 10.20.0.0/16"
        case .grantPrivate, .grantAll, .grantCallAll, .grantCloseMicrophone, .grantPriority:
            "anyone or nobody; roles are named in config.toml"
        default: expectation
        }
    }

    /// The form of a valid value in a file, for the message about an invalid one.
    package var expectation: String {
        switch self {
        case .name: "1 to \(NodeName.bytesMax) of A-Z, a-z, 0-9, '.', '_' and '-', beginning with neither '.' nor '-'"
        case .nick: "a name of 1 to 24 characters"
        case .role: "a role of 1 to 24 characters"
        case .colour: "a colour: \(Colour.expectation)"
        case .mesh: "a mesh name of 1 to 32 bytes without invisible characters"
        case .channel, .output2Channel: "channel names of 1 to 24 characters, for example [\"stage\", \"lights\"]"
        case .stateDir, .control, .crew, .codeFile: "a path"
        case .channelCodeFile: "channels with a path each, for example [\"lights=lights.code\"]"
        case .listen: "an address and port, for example 192.0.2.1:7400"
        case .peer: "addresses and ports, for example [\"192.0.2.1:7400\"]"
        case .reach: "networks, for example [\"10.20.0.0/16\"]"
        case .admission: RunKey.oneOf(AdmissionChoice.self)
        case .discovery: RunKey.oneOf(DiscoveryChoice.self)
        case .programmeChannel: "a channel name of 1 to 24 characters"
        case .input, .programme: "a device: alsa:NAME, file:PATH, tone:HZ or null"
        case .output, .output2: "a device: alsa:NAME, file:PATH or null"
        case .talk: RunKey.oneOf(TalkMode.self)
        case .profile: RunKey.oneOf(VoiceProfileName.self)
        case .frame: "milliseconds: 2.5, 5, 10 or 20"
        case .period: "milliseconds from 0.5 to 100"
        case .buffer: "milliseconds from 1 to 500"
        case .bitrate: "kilobits per second from 8 to 256"
        case .loudness: RunKey.oneOf(LoudnessChoice.self)
        case .simloss: "per cent from 0 to 100, tenths allowed"
        case .simdelay, .simjitter: "milliseconds from 0 to 1000"
        case .replay: "seconds from 0 to \(RecordingLimits.replaySecondsMax)"
        case .logLevel: RunKey.oneOf(LogLevelName.self)
        case .voxLevel: "dBFS from -80 to -10"
        case .voxHang: "milliseconds from 50 to 5000"
        case .keyLimit: "seconds up to 86400, 0 for no limit"
        case .halfDuplex, .highPass, .gate, .agc, .howlGuard, .echoCancel, .denoise, .beepOnLoss, .plain, .saveBattery,
            .simcut:
            "true or false"
        case .tones: "\(RunKey.words(Tone.self)), with commas between them, or none"
        case .grantPrivate, .grantAll, .grantCallAll, .grantCloseMicrophone, .grantPriority:
            "anyone, nobody, or a list of roles, for example [\"director\"]"
        case .sideTone: "decibels from -40 to 0"
        case .output2Level: "decibels from -60 to 12"
        case .effect: "pitch:-12 to pitch:12, reverb:1 to reverb:100, or both with a comma between"
        }
    }

    /// The key, or one of `others`, that is most similar to a mistyped word; nil if more than two letters differ.
    package static func nearest(to text: String, besides others: [String] = []) -> String? {
        NearestWord.of(text.lowercased().replacing("_", with: "-"), among: allCases.map(\.rawValue) + others)
    }

    private static func oneOf<Choice: CaseIterable & RawRepresentable>(_ type: Choice.Type) -> String
    where Choice.RawValue == String {
        "one of " + words(type)
    }

    private static func words<Choice: CaseIterable & RawRepresentable>(_ type: Choice.Type) -> String
    where Choice.RawValue == String {
        Choice.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
