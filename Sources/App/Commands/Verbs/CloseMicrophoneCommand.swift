import ArgumentParser
import ControlPlane
import NodeRuntime

struct CloseMicrophoneCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close-microphone", abstract: "Asks a peer to close its microphone.",
        discussion: """
            The peer does so unless its --grant-close-microphone forbids it; a key that is pressed again talks again. \
            All who listen to the channel are told who has asked.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, a short id or a whole id.")
    var peer: String
    @Option(help: ArgumentHelp("A channel to which both listen (the first one).", valueName: "name"))
    var channel: String?

    var request: CloseMicrophoneRequest { CloseMicrophoneRequest(peer: peer, channel: channel) }

    func confirmation(_ answer: DoneDocument) -> String { "\(peer) is asked to close its microphone" }
}
