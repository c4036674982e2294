import ArgumentParser
import ControlPlane
import NodeRuntime

struct PartCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "part", abstract: "Leaves a channel, and forgets its code if it has one.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String

    func run() throws {
        let answer = try node.ask(request)
        try Output.line(Output.safe(confirmation(answer)))
        for warning in answer.warnings ?? [] { Output.note(Output.safe(warning)) }
    }

    var request: PartRequest { PartRequest(channel: channel) }

    func confirmation(_ answer: ChannelsDocument) -> String { "parted \(channel)" }
}
