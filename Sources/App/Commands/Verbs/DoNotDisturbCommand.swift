import ArgumentParser
import ControlPlane
import NodeRuntime

struct DoNotDisturbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dnd", abstract: "Sets do-not-disturb: only urgent calls are shown.",
        discussion: "Other calls are declined at once. They stay in `partyline calls` until their time is over.")

    enum Position: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var node: NodeChoice
    @Argument(help: "on or off.")
    var position: Position

    func run() throws {
        let request = DoNotDisturbRequest(on: position == .on)
        try node.ask(request)
    }
}
