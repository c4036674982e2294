import ArgumentParser
import ControlPlane
import NodeRuntime

struct VolumeCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Sets a peer's volume here, in dB; remembered by the peer's id.",
        usage: "partyline volume [<options>] <peer> <decibels>")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-60 to 12; 0 is unchanged.", valueName: "decibels"))
    var gain: [String]

    var decibels: Double? {
        guard let number = gain.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.gainDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        try gain.refuseOption()
        let range = ControlLimits.gainDecibelsRange
        throw ValidationError("the volume must be one number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }

    var request: VolumeRequest { VolumeRequest(peer: peer, gainDb: decibels ?? 0) }

    func confirmation(_ answer: DoneDocument) -> String {
        "\(peer) is at \(ChannelTable.level(decibels ?? 0)) dB"
    }
}

struct PanCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pan", abstract: "Sets a peer's place between the loudspeakers; remembered by the peer's id.",
        usage: "partyline pan [<options>] <peer> <place>",
        discussion: """
            Needs a sound card with two channels. A peer without a chosen place gets one by its id. At -100 and 100 \
            the voice sounds in one ear alone, and is 3 dB louder there than in the middle.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("-100 (left) to 100 (right), or auto.", valueName: "place"))
    var place: [String]

    func validate() throws {
        let word = place.signedWord
        if word == "auto" { return }
        guard let number = word.flatMap({ Int($0) }), ControlLimits.panRange.contains(number) else {
            try place.refuseOption()
            throw ValidationError("the place must be one whole number from -100 to 100, or auto")
        }
    }

    var request: PanRequest { PanRequest(peer: peer, pan: place.signedWord.flatMap { Int($0) }) }

    func confirmation(_ answer: DoneDocument) -> String {
        request.pan.map { "\(peer) has the place \($0)" } ?? "\(peer) has the place that its id gives"
    }
}

struct MuteCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mutes a peer, or ends that; remembered by the peer's id.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(help: "on or off.")
    var state: OnOff = .on

    var request: MuteRequest { MuteRequest(peer: peer, muted: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "\(peer) is muted" : "\(peer) is not muted"
    }
}

struct PriorityCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "priority",
        abstract: "Lowers all others while a peer speaks, or ends that; remembered by the peer's id.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(help: "on or off.")
    var state: OnOff = .on

    var request: PriorityRequest { PriorityRequest(peer: peer, priority: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "\(peer) has priority" : "\(peer) has no priority"
    }
}

struct DimCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "dim", abstract: "Lowers everything that is heard here, until `dim 0` or the end of the node.",
        usage: "partyline dim [<options>] [<decibels>]")

    @OptionGroup var node: NodeChoice
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("By 0 to 60 (20); 0 ends it.", valueName: "decibels"))
    var words: [String] = []

    private static let decibelsStandard = 20.0

    var decibels: Double? {
        if words.isEmpty { return DimCommand.decibelsStandard }
        guard let number = words.signedWord.flatMap({ Double($0) }) else { return nil }
        return ControlLimits.dimDecibelsRange.contains(number) ? number : nil
    }

    func validate() throws {
        guard decibels == nil else { return }
        try words.refuseOption()
        let most = Int(ControlLimits.dimDecibelsRange.upperBound)
        throw ValidationError("dim takes one number from 0 to \(most), in dB")
    }

    var request: DimRequest { DimRequest(dimDb: decibels ?? DimCommand.decibelsStandard) }

    func confirmation(_ answer: DoneDocument) -> String { DimCommand.sentence(request.dimDb) }

    /// By how much everything is lowered.
    static func sentence(_ decibels: Double) -> String {
        decibels == 0 ? "nothing is lowered" : "everything is lowered by \(Figures.decimal(decibels, columns: 5)) dB"
    }
}

/// Reads an argument that may be a negative number.
///
/// The parser takes `-6` for an option. So a command with such an argument collects all words that the parser does not
/// recognise (`.allUnrecognized`). These include a `--` that the user may have put before the number, and options that
/// the command does not have.
extension [String] {
    /// The only word, without a leading `--`; nil if there is none or more than one.
    var signedWord: String? {
        let words = first == "--" ? dropFirst() : self[...]
        return words.count == 1 ? words.first : nil
    }

    /// Throws the words of the parser for an option that it does not know, if there is one.
    func refuseOption() throws {
        guard let option = first(where: { $0.hasPrefix("--") && $0 != "--" }) else { return }
        throw ValidationError("Unknown option '\(option)'")
    }
}
