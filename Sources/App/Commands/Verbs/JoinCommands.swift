package import ArgumentParser
import ControlPlane
package import NodeRuntime

struct JoinCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Joins a channel, or changes how this node takes part in it.",
        discussion: """
            Kept for the next start. A node listens to 14 channels at most.

            The name of a channel with a code is written code:NAME. The code is typed unseen, or is the only line of a \
            file. All nodes that join with the same name and code are on the channel; no other node learns its name. \
            The code is kept. Another one takes its place by --replace, and leaves the nodes that have joined with the \
            former one.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String
    @Option(
        help: ArgumentHelp("A file with the code of the channel code:NAME.", valueName: "path"),
        completion: .file())
    var codeFile: String?
    @Flag(help: "Takes another code than the one that this node has of the channel.")
    var replace = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The channel's level here, -60 to 12 (as it is; 0 for a new channel).", valueName: "dB"))
    var level: Double?
    @Option(
        help: ArgumentHelp(
            "The ear in which it sounds: left, right or both (as it is; both for a new channel). In one ear it is 3 dB "
                + "louder there than its level says, and so as loud altogether as in both.", valueName: "ear"),
        completion: .words(of: EarWord.self))
    var ear: String?
    @Flag
    var manner: [JoinRequest.Manner] = []
    @Flag(
        inversion: .prefixedNo,
        help: "The channel carries programme, such as music: it is lowered while anybody talks on another channel.")
    var programme: Bool?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --programme: by how much it is lowered, 0 to 60 (as it is; 14 for new programme).", valueName: "dB"))
    var dim: Double?

    func validate() throws {
        if let level, !ControlLimits.levelDecibelsRange.contains(level) {
            throw ValidationError("the level must be a number from -60 to 12")
        }
        guard Set(manner).count <= 1 else {
            throw ValidationError("--listen-and-talk, --listen-only and --talk-only exclude each other")
        }
        if let ear, EarWord(rawValue: ear) == nil {
            throw ValidationError("the ear must be \(EarWord.choice)")
        }
        if codeFile != nil, !CodedName.isMarked(channel) {
            throw ValidationError("--code-file needs a channel with a code: \(CodedName.marked(channel))")
        }
        if replace, !CodedName.isMarked(channel) {
            throw ValidationError("--replace needs a channel with a code: \(CodedName.marked(channel))")
        }
        if let dim, !ControlLimits.dimDecibelsRange.contains(dim) {
            throw ValidationError("the dim must be a number from 0 to 60")
        }
        if dim != nil, programme != true { throw ValidationError("--dim needs --programme") }
    }

    func run() throws {
        let node = try node.settled()
        // A person may take long to type the code, and the node has few places for clients.
        let request = try request(code: try code(at: node))
        let client = try node.connect()
        let answer = try client.ask(request, timeoutSeconds: NodeChoice.codeTimeoutSeconds)
        try Output.line(Output.safe(confirmation(answer)))
        for warning in JoinedChannelText.warnings(of: channel, in: answer) { Output.note(warning) }
        guard let joined = answer.channel(named: channel), joined.hasCode, joined.sharedWith.isEmpty else { return }
        // The node has joined the channel, even if it does not answer this question.
        guard let status = try? client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds) else { return }
        if let reason = ChannelCodeText.unshared(joined, linksUp: status.mesh.linksUp) { Output.note(reason) }
    }

    private func code(at node: NodeChoice) throws -> String? {
        guard CodedName.isMarked(channel) else { return nil }
        // A node that lists the channel has its code. The node refuses another one without --replace, and says so.
        if codeFile == nil, !replace, let joined = try node.ask(ChannelsRequest()).channel(named: channel) {
            let asksAgain = joined.sharedWith.isEmpty && !changesManner
            return asksAgain ? try CodeInput.readAgain(ofChannel: channel, .ofProcess)?.typed : nil
        }
        return try CodeInput.read(ofChannel: channel, file: codeFile, .ofProcess).typed
    }

    private var changesManner: Bool {
        level != nil || ear != nil || !manner.isEmpty || programme != nil || dim != nil
    }

    var request: JoinRequest {
        get throws { try request(code: try code(at: node)) }
    }

    private func request(code: String?) throws -> JoinRequest {
        JoinRequest(
            channel: channel, code: code, replace: replace ? true : nil, levelDb: level,
            ear: ear.flatMap { EarWord(rawValue: $0) },
            manner: manner.first, programme: programme, dimDb: dim)
    }

    func confirmation(_ answer: ChannelsDocument) -> String {
        guard let joined = answer.channel(named: channel) else { return "joined \(channel)" }
        return "joined \(joined.name): \(joined.manner)"
    }
}

/// A flag for each way to take part in a channel.
extension JoinRequest.Manner: EnumerableFlag {
    package static func help(for manner: Self) -> ArgumentHelp? {
        switch manner {
        case .listenAndTalk: "Listens and talks; ends --listen-only or --talk-only."
        case .listenOnly: "Listens, and never talks."
        case .talkOnly: "Talks, and does not listen."
        }
    }
}

struct PartCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "part", abstract: "Leaves a channel, and forgets its code if it has one.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String

    func run() throws {
        // The node may be asked once more, for its id.
        var settled = self
        settled.node = try node.settled()
        try settled.change()
    }

    var request: PartRequest { PartRequest(channel: channel) }

    func confirmation(_ answer: ChannelsDocument) -> String { "parted \(channel)" }

    func warnings(in answer: ChannelsDocument) -> [String] {
        let note = PartedChannelText.note(of: channel, in: answer) { try? node.ask(IdentityRequest()).shortId }
        return (answer.warnings ?? []) + [note].compactMap { $0 }
    }
}

struct LevelCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "level", abstract: "Sets the level of a channel here, in dB.",
        usage: "partyline level [<options>] <channel> <decibels>")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-60 to 12; 0 is unchanged.", valueName: "decibels"))
    var level: [String]

    var decibels: Double? {
        guard let number = level.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.levelDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        try level.refuseOption()
        throw ValidationError("the level must be one number from -60 to 12")
    }

    var request: LevelRequest { LevelRequest(channel: channel, levelDb: decibels ?? 0) }

    func confirmation(_ answer: ChannelsDocument) -> String {
        "channel \(channel) is at \(ChannelTable.level(decibels ?? 0)) dB"
    }
}

struct TalkOnCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk-on", abstract: "Chooses the channels on which the talk key speaks.",
        discussion: """
            Without a channel, the key speaks on the first one on which this node may talk. The choice is kept for the \
            next start. With [[key]] tables in config.toml each talk key names its channels itself, and this \
            command is refused with exit code 1.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "The names of joined channels.")
    var channels: [String] = []

    var request: TalkOnRequest { TalkOnRequest(channels: channels) }

    func confirmation(_ answer: ChannelsDocument) -> String {
        let names = answer.channels.filter { !$0.talkKeys.isEmpty }.map(\.name)
        return "the talk key speaks on " + (names.isEmpty ? "no channel" : names.joined(separator: ", "))
    }
}
