import ArgumentParser
import ControlPlane
import NodeRuntime

struct DoNotDisturbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dnd", abstract: "Sets or shows do-not-disturb: only urgent calls are shown.",
        discussion: """
            Other calls are declined at once, and stay in `partyline calls` until their time is over. Do-not-disturb \
            lasts until the node ends.
            """)

    enum Position: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var node: NodeChoice
    @Argument(help: "on or off; without it the verb shows the state.")
    var position: Position?

    func run() throws {
        let calls = try position.map { try node.ask(DoNotDisturbRequest(on: $0 == .on)) } ?? node.ask(CallsRequest())
        try Output.line("do-not-disturb is \(calls.doNotDisturb ? "on" : "off")")
    }
}
