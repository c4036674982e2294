import ArgumentParser
import ControlPlane
import NodeRuntime

struct TalkOnCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk-on", abstract: "Chooses the channels on which the talk key speaks.",
        discussion: """
            Without a channel, the key speaks on the first one on which this node may talk. The choice is kept for the \
            next start. With [[key]] tables in config.toml each talk key names its channels itself, and this \
            command is refused with exit code 1.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "The names of joined channels.")
    var channels: [String] = []

    var request: TalkOnRequest { TalkOnRequest(channels: channels) }

    func confirmation(_ answer: ChannelsDocument) -> String {
        let names = answer.channels.filter(\.talkKey).map(\.name)
        return "the talk key speaks on " + (names.isEmpty ? "no channel" : names.joined(separator: ", "))
    }
}
