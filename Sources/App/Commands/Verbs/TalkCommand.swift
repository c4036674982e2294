import ArgumentParser
import ControlPlane

struct TalkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk", abstract: "Presses and releases the talk key; toggles it without a word.")

    enum Action: String, ExpressibleByArgument, CaseIterable { case on, off, toggle }

    @OptionGroup var node: NodeChoice
    @Argument(help: "on, off or toggle.")
    var action: Action?
    @Option(name: .customLong("for"), help: ArgumentHelp("Holds the key so long.", valueName: "seconds"))
    var seconds: Double?

    func validate() throws {
        guard let seconds else { return }
        guard 0 < seconds, seconds <= ControlLimits.holdSecondsMax else {
            throw ValidationError("--for takes up to \(Int(ControlLimits.holdSecondsMax)) seconds")
        }
        guard action == nil || action == .on else { throw ValidationError("--for goes with `on` alone") }
    }

    var order: TalkOrder {
        if let seconds { return .hold(seconds: seconds) }
        switch action {
        case .on: return .on
        case .off: return .off
        case .toggle, nil: return .toggle
        }
    }

    func run() throws {
        let talk = try node.connect().talk(order, timeoutSeconds: NodeChoice.timeoutSeconds)
        Output.line("talk \(talk.talking ? "on" : "off") (\(Output.safe(talk.talkMode)))")
    }
}
