import ArgumentParser
import ControlPlane
import NodeRuntime

struct PartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "part", abstract: "Parts a channel.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String

    func run() throws {
        try node.ask(PartRequest(channel: channel))
    }
}
