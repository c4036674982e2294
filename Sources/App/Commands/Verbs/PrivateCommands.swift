import ArgumentParser
import ControlPlane
import NodeRuntime

struct PrivateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "private", abstract: "Talks privately to one peer: presses a key that is made for it.",
        discussion: """
            The key stays down until --release or the end of --seconds, and at most for --key-limit. \
            Exit code 4 if nobody hears it.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @OptionGroup var hold: MomentaryHold

    func run() throws {
        let request = PrivateRequest(peer: peer, isDown: !hold.release, forS: hold.seconds)
        try TalkCommand.show(try node.ask(request))
    }
}

struct ReplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reply",
        abstract: "Talks privately to the caller: the peer that last called this node, or spoke privately to it.",
        discussion: """
            The key stays down until --release or the end of --seconds, and at most for --key-limit. \
            Exit code 4 if nobody hears it.
            """)

    @OptionGroup var node: NodeChoice
    @OptionGroup var hold: MomentaryHold

    func run() throws {
        let talk = try node.ask(ReplyRequest(isDown: !hold.release, forS: hold.seconds))
        try TalkCommand.show(talk, as: talk.replyTo.map { "reply to \($0)" })
    }
}

/// How long a key is pressed by a verb that presses it.
struct MomentaryHold: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Releases the key after this time, up to 3600.", valueName: "seconds"))
    var seconds: Double?
    @Flag(help: "Releases the key.")
    var release = false

    func validate() throws {
        if release, seconds != nil { throw ValidationError("--release and --seconds exclude each other") }
        guard let seconds else { return }
        guard 0 < seconds, seconds <= ControlLimits.holdSecondsMax else {
            throw ValidationError("--seconds takes more than 0 and at most \(Int(ControlLimits.holdSecondsMax))")
        }
    }
}
