import ArgumentParser
import ControlPlane
import NodeRuntime

struct TalkOnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk-on", abstract: "Chooses the channels on which the talk key speaks.",
        discussion: "Without a channel, the key speaks on the first one on which this node may talk.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "The names of joined channels.")
    var channels: [String] = []

    func run() throws {
        try node.ask(TalkOnRequest(channels: channels))
    }
}
