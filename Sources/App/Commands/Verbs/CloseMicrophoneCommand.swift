import ArgumentParser
import ControlPlane
import NodeRuntime

struct CloseMicrophoneCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close-microphone", abstract: "Asks a peer to close its microphone.",
        discussion: """
            The peer does so unless its --grant-close-microphone forbids it; a key that is pressed again talks again. \
            All listeners of the channel are told your name.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Option(help: ArgumentHelp("A channel to which both listen (the first one).", valueName: "name"))
    var channel: String?

    var request: CloseMicrophoneRequest { CloseMicrophoneRequest(peer: peer, channel: channel) }

    func confirmation(_ answer: DoneDocument) -> String { "\(peer) is asked to close its microphone" }
}
