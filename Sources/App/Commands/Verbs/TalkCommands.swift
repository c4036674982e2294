import ArgumentParser
import ControlPlane
import NodeRuntime

struct TalkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk", abstract: "Works a talk key; without an action, toggles it.",
        discussion: """
            on and off switch the key in every mode; with vox the key then waits for your voice. press and release act \
            as a finger or a pedal on the key, so their effect depends on the mode. A ptt key that is on, and a smart \
            key that is held, is released after --key-limit. cough switches the microphone off until uncough, or for \
            the seconds of --for.

            Exit code 4 if the key is down and nobody hears it, or if it was held for too long: it is then ignored \
            until off or release.
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable { case on, off, toggle, press, release, cough, uncough }

    @OptionGroup var node: NodeChoice
    @Argument(help: "on, off, toggle, press, release, cough or uncough.")
    var action: Action?
    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp(
            "With on or cough: holds it for this time, up to 3600; a key that is on already stays on.",
            valueName: "seconds"))
    var seconds: Double?
    @Option(
        help: ArgumentHelp(
            "The key's name or number, as `partyline keys` lists it; the first key without this.", valueName: "name"))
    var key: String?

    func validate() throws {
        guard let seconds else { return }
        guard 0 < seconds, seconds <= ControlLimits.holdSecondsMax else {
            throw ValidationError("--for takes more than 0 and at most \(Int(ControlLimits.holdSecondsMax)) seconds")
        }
        guard action == nil || action == .on || action == .cough else {
            throw ValidationError("--for goes with `on` and `cough` alone")
        }
    }

    var order: TalkOrder {
        switch action {
        case .cough: return .cough(seconds: seconds)
        case .uncough: return .uncough
        case _ where seconds != nil: return .hold(seconds: seconds ?? 0)
        case .press: return .press
        case .release: return .release
        case .on: return .on
        case .off: return .off
        case .toggle, nil: return .toggle
        }
    }

    func run() throws {
        let request = TalkRequest(order, key: key)
        try TalkCommand.show(try node.ask(request))
    }

    /// Prints the state of the key after an order.
    ///
    /// - Parameter label: what stands for the key's name and mode; nil for these.
    /// - Throws: `CommandEnd` with `degraded` if the key is down, and nobody gets its voice, or if the key is stuck.
    static func show(_ talk: TalkDocument, as label: String? = nil) throws {
        let cough = talk.coughing ? ", microphone off for a cough" : ""
        let state = talk.keyDown ? "on" : "off"
        let line = label.map { "\($0): \(state)" } ?? "\(talk.key) \(state) (\(talk.talkMode))"
        let refusers = talk.unheard == nil ? talk.refusedBy ?? [] : []
        let refused = refusers.isEmpty ? "" : "; not granted by " + Output.list(refusers)
        try Output.line(Output.safe(line) + cough + refused)
        guard let why = talk.unheard ?? stuck(talk) else { return }
        throw CommandEnd(status: .degraded, message: Output.safe(why))
    }

    /// Why a key that was held for too long stays silent, as a sentence; nil if it does not, and during a cough.
    private static func stuck(_ talk: TalkDocument) -> String? {
        guard talk.stuck, !talk.coughing else { return nil }
        let off = "partyline talk off --key \(ShellWord.quoted(talk.key))"
        return "key '\(talk.key)' was held for too long, and is ignored until `\(off)`"
    }
}

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
