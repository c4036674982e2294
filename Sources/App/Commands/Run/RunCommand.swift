import ArgumentParser
import Foundation
import NodeRuntime

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a node in the foreground.",
        discussion: """
            In a terminal: space talks (with --talk ptt while it is held down, with latch until it is pressed again, \
            with smart either), 1 to 8 work the talk keys of config.toml, c switches the microphone off while it is \
            held, a answers a call, q ends the node. Every option but --config and --verbose can be set in config.toml \
            under its own name; an option on the command line overrides the role of a crew file, and the role \
            overrides config.toml. SIGHUP reads both files again, as `partyline reload` does.
            """)

    @OptionGroup var arguments: RunArguments

    func run() async throws {
        var options = try Surroundings.origin(arguments.settings(), file: arguments.config).read()
        options.logForm = Surroundings.logForm
        guard try await EntryBeforeRun(options, next: arguments.echo(options)).run() else { return }
        let console = RunConsole.start(options)
        defer { console?.stop() }
        if console != nil, options.logForm == .terminal, isatty(STDERR_FILENO) == 1 {
            options.logForm = .besideLiveLine
        }
        try await PartylineNode(options: options).run()
    }
}

/// The options of `partyline run`; each is also a key of `config.toml`. They are strings here, so that one parser with
/// the same error messages reads both the command line and the file.
struct RunArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The node's name on this machine (default).", valueName: "name"))
    var name: String?
    @Option(
        help: ArgumentHelp(
            "The name that the others see (what `nick` or `init` has kept; else --role, --name or the host's name).",
            valueName: "text"))
    var nick: String?
    @Option(
        help: ArgumentHelp(
            "What you do, for the others to read (what `role` or `init` has kept); with --crew a role of that file.",
            valueName: "text"))
    var role: String?
    @Option(
        help: ArgumentHelp(
            "Your colour in lists: a word or #rrggbb (what `colour` or `init` has kept).", valueName: "colour"))
    var colour: String?
    @Option(help: ArgumentHelp("Nodes of other meshes never link (partyline).", valueName: "text"))
    var mesh: String?
    @Option(
        help: ArgumentHelp(
            "A file with the code of a closed mesh, which the node enters first, unless it is in one.",
            valueName: "path"),
        completion: .file())
    var codeFile: String?
    @Option(
        help: ArgumentHelp(
            "A channel to join; may be given again (those of the last run, at first main).", valueName: "text"))
    var channel: [String] = []
    @Option(
        help: ArgumentHelp(
            "A file with the code of a channel code:NAME; may be given again.", valueName: "name=path"))
    var channelCodeFile: [String] = []
    @Option(help: ArgumentHelp("The node's state folder.", valueName: "dir"), completion: .directory)
    var stateDir: String?
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"), completion: .file())
    var config: String?
    @Option(
        help: ArgumentHelp("A crew file, which gives this node the channels of --role.", valueName: "path"),
        completion: .file())
    var crew: String?
    @Option(help: ArgumentHelp("The control socket.", valueName: "path"), completion: .file())
    var control: String?
    @Option(
        help: ArgumentHelp(
            "The address to listen on, also before it is there (port 7400, or the next free one).",
            valueName: "addr:port"))
    var listen: String?
    @Option(help: ArgumentHelp("A node to link to; may be given again.", valueName: "addr:port"))
    var peer: [String] = []
    @Option(
        help: ArgumentHelp(
            "Another network whose nodes may connect; may be given again.", valueName: "addr/bits"))
    var reach: [String] = []
    @Option(
        help: ArgumentHelp(
            "Which nodes may link to this node: open, ask (you decide), or known (keys that you trust) (open).",
            valueName: "rule"),
        completion: .words(of: AdmissionChoice.self))
    var admission: String?
    @Option(
        help: ArgumentHelp(
            "How the node finds others: auto, avahi, beacon, or none: by --peer alone, not from earlier runs (auto).",
            valueName: "how"),
        completion: .words(of: DiscoveryChoice.self))
    var discovery: String?
    @Option(
        help: ArgumentHelp(
            "The microphone: alsa:NAME, file:PATH (once), tone:HZ or null (the one chosen last, or alsa:default).",
            valueName: "dev"))
    var input: String?
    @Option(
        help: ArgumentHelp(
            "The headset or loudspeaker: alsa:NAME, file:PATH or null (the one that was chosen last, or alsa:default).",
            valueName: "dev"))
    var output: String?
    @Option(help: ArgumentHelp("A second output, for example a loudspeaker beside a headset.", valueName: "dev"))
    var output2: String?
    @Option(
        name: .customLong("output2-channel"),
        help: ArgumentHelp("A channel that sounds there; may be given again (all).", valueName: "text"))
    var output2Channel: [String] = []
    @Option(
        name: .customLong("output2-level"), parsing: .unconditional,
        help: ArgumentHelp("The level of the second output, -60 to 12 (0).", valueName: "dB"))
    var output2Level: String?
    @Option(
        help: ArgumentHelp(
            "A second input for programme, such as music; file:PATH plays once; needs the admission open.",
            valueName: "dev"))
    var programme: String?
    @Option(help: ArgumentHelp("The channel that --programme feeds.", valueName: "text"))
    var programmeChannel: String?
    @Option(
        help: ArgumentHelp(
            "The talk key: ptt (hold), latch (press twice), smart (either), vox (voice) or open (always) (ptt).",
            valueName: "mode"),
        completion: .words(of: TalkMode.self))
    var talk: String?
    @Option(
        help: ArgumentHelp(
            "Less delay or fewer gaps: studio, low, normal, robust or powersave (low; normal with --denoise).",
            valueName: "name"),
        completion: .words(of: VoiceProfileName.self))
    var profile: String?
    @Option(
        help: ArgumentHelp("Length of a voice frame: 2.5, 5, 10 or 20 (the profile's).", valueName: "ms"),
        completion: .list(["2.5", "5", "10", "20"]))
    var frame: String?
    @Flag(
        inversion: .prefixedNo,
        help: "No codec if all nodes set this: 2.5 ms less delay (studio: 3.7), but 1 to 2 Mb/s a listener.")
    var plain: Bool?
    @Option(help: ArgumentHelp("The sound card's period, 0.5 to 100 (the profile's).", valueName: "ms"))
    var period: String?
    @Option(help: ArgumentHelp("The playback buffer, 1 to 500 (the profile's).", valueName: "ms"))
    var buffer: String?
    @Option(help: ArgumentHelp("The encoder's target rate, 8 to 256 (the profile's).", valueName: "kb/s"))
    var bitrate: String?
    @Option(
        help: ArgumentHelp("The loudness of the talkers: match (all alike) or off (match).", valueName: "how"),
        completion: .words(of: LoudnessChoice.self))
    var loudness: String?
    @Option(
        help: ArgumentHelp(
            "For demonstrations: loses this share of the arriving media datagrams, 0 to 100 (0).", valueName: "%"))
    var simloss: String?
    @Option(
        help: ArgumentHelp(
            "For demonstrations: delays the arriving media datagrams by this time, 0 to 1000 (0).", valueName: "ms"))
    var simdelay: String?
    @Option(
        help: ArgumentHelp(
            "For demonstrations: varies that delay up and down by up to this time, 0 to 1000 (0).", valueName: "ms"))
    var simjitter: String?
    @Flag(help: ArgumentHelp("For `partyline lab --block`: this node can be cut off from peers.", visibility: .hidden))
    var simcut = false
    @Option(
        help: ArgumentHelp("How much sound stays in memory for `partyline replay`, 0 to 300 (0).", valueName: "seconds")
    )
    var replay: String?
    @Flag(inversion: .prefixedNo, help: "Beeps when a peer is lost that was linked for a minute, and when it is back.")
    var beepOnLoss: Bool?
    @Flag(inversion: .prefixedNo, help: "On battery: longer frames and fewer wake-ups, about 40 ms more delay.")
    var saveBattery: Bool?
    @Option(
        help: ArgumentHelp(
            "Whose private talk is heard: anyone or nobody (anyone); roles in config.toml.", valueName: "who"))
    var grantPrivate: String?
    @Option(
        help: ArgumentHelp(
            "Whose talk to all is heard: anyone or nobody (anyone); roles in config.toml.", valueName: "who"))
    var grantAll: String?
    @Option(
        help: ArgumentHelp(
            "Whose voice lowers all others: nobody (nobody), or roles in config.toml.", valueName: "who"))
    var grantPriority: String?
    @Option(
        help: ArgumentHelp(
            "The least severe lines of the log: error, warning, notice, info, debug or trace (notice).",
            valueName: "level"),
        completion: .words(of: LogLevelName.self))
    var logLevel: String?
    @Flag(name: .shortAndLong, help: "Short for --log-level debug.")
    var verbose = false
    @OptionGroup(title: "Your voice") var speaking: SpeakingArguments
    @OptionGroup(title: "Calls") var calls: CallArguments

    /// The options that select this node, for the next command.
    func echo(_ options: RunOptions) -> OptionEcho {
        OptionEcho(
            name: name, stateDir: stateDir, control: control, config: config, reaching: options.controlPath)
    }

    func settings() -> RunSettings {
        var settings = RunSettings()
        settings.set(.name, option: name)
        settings.set(.nick, option: nick)
        settings.set(.role, option: role)
        settings.set(.colour, option: colour)
        settings.set(.mesh, option: mesh)
        settings.set(.codeFile, option: Surroundings.absolute(codeFile))
        if !channel.isEmpty {
            settings.set(.channel, channel.map { RunSettings.Value($0, at: .option("--channel")) })
        }
        if !channelCodeFile.isEmpty {
            settings.set(
                .channelCodeFile, channelCodeFile.map { RunSettings.Value($0, at: .option("--channel-code-file")) })
        }
        settings.set(.stateDir, option: Surroundings.absolute(stateDir))
        settings.set(.crew, option: Surroundings.absolute(crew))
        settings.set(.control, option: Surroundings.absolute(control))
        settings.set(.listen, option: listen)
        if !peer.isEmpty { settings.set(.peer, peer.map { RunSettings.Value($0, at: .option("--peer")) }) }
        if !reach.isEmpty { settings.set(.reach, reach.map { RunSettings.Value($0, at: .option("--reach")) }) }
        settings.set(.admission, option: admission)
        settings.set(.discovery, option: discovery)
        settings.set(.input, option: input)
        settings.set(.output, option: output)
        settings.set(.output2, option: output2)
        if !output2Channel.isEmpty {
            settings.set(
                .output2Channel, output2Channel.map { RunSettings.Value($0, at: .option("--output2-channel")) })
        }
        settings.set(.output2Level, option: output2Level)
        settings.set(.programme, option: programme)
        settings.set(.programmeChannel, option: programmeChannel)
        settings.set(.talk, option: talk)
        settings.set(.profile, option: profile)
        settings.set(.frame, option: frame)
        settings.set(.plain, flag: plain)
        settings.set(.period, option: period)
        settings.set(.buffer, option: buffer)
        settings.set(.bitrate, option: bitrate)
        settings.set(.loudness, option: loudness)
        settings.set(.simloss, option: simloss)
        settings.set(.simdelay, option: simdelay)
        settings.set(.simjitter, option: simjitter)
        settings.set(.simcut, option: simcut ? "true" : nil)
        settings.set(.replay, option: replay)
        settings.set(.beepOnLoss, flag: beepOnLoss)
        settings.set(.saveBattery, flag: saveBattery)
        settings.set(.grantPrivate, option: grantPrivate)
        settings.set(.grantAll, option: grantAll)
        settings.set(.grantPriority, option: grantPriority)
        settings.set(.logLevel, option: logLevel ?? (verbose ? LogLevelName.debug.rawValue : nil))
        speaking.add(to: &settings)
        calls.add(to: &settings)
        return settings
    }
}
