import ArgumentParser
import ControlPlane
import NodeRuntime

struct PartCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "part", abstract: "Leaves a channel, and forgets its code if it has one.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The channel's name.")
    var channel: String

    var request: PartRequest { PartRequest(channel: channel) }

    func confirmation(_ answer: ChannelsDocument) -> String { "parted \(channel)" }
}
