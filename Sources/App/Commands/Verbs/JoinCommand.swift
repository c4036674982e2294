import ArgumentParser
import ControlPlane
import NodeRuntime

struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Joins a channel, or changes how this node takes part in it.",
        discussion: "Kept for the next start. A node listens to 14 channels at most.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String
    @Option(parsing: .unconditional, help: ArgumentHelp("The channel's level here, -60 to 12 (0).", valueName: "dB"))
    var level: Double?
    @Option(help: ArgumentHelp("left, right or both (both).", valueName: "ear"))
    var ear: String?
    @Flag(help: "Listens, and never talks.")
    var listenOnly = false
    @Flag(help: "Talks, and does not listen.")
    var talkOnly = false
    @Flag(
        inversion: .prefixedNo,
        help: "The channel carries programme, such as music: it is lowered while anybody talks on another channel.")
    var programme: Bool?
    @Option(help: ArgumentHelp("With --programme: by how much it is lowered, 0 to 60 (14).", valueName: "dB"))
    var dim: Double?

    func validate() throws {
        if let level, !ControlLimits.levelDecibelsRange.contains(level) {
            throw ValidationError("the level must be a number from -60 to 12")
        }
        if let ear, EarWord(rawValue: ear) == nil {
            throw ValidationError("the ear must be \(EarWord.choice)")
        }
        if let dim, !ControlLimits.dimDecibelsRange.contains(dim) {
            throw ValidationError("the dim must be a number from 0 to 60")
        }
        if dim != nil, programme != true { throw ValidationError("--dim needs --programme") }
        if listenOnly, talkOnly { throw ValidationError("--listen-only and --talk-only exclude each other") }
    }

    func run() throws {
        let request = JoinRequest(
            channel: channel, levelDb: level, ear: ear.flatMap { EarWord(rawValue: $0) },
            manner: listenOnly ? .listenOnly : talkOnly ? .talkOnly : nil, programme: programme, dimDb: dim)
        try node.ask(request)
    }
}
