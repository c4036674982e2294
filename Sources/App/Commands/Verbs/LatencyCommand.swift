import ArgumentParser
import ControlPlane
import NodeRuntime

struct LatencyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Shows the delay from mouth to ear with a peer, part by part, and the source of each figure.",
        discussion: """
            measured: by the audio threads here. reported: by the peer. computed: from other figures; the delay of \
            the network is half of the round trip. assumed: a figure of the peer, taken to be as here.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Flag(help: "Prints the document partyline.latency/1.")
    var json = false

    func run() throws {
        let document = try node.ask(LatencyRequest(peer: peer))
        if json { try Output.document(document) } else { try Output.lines(LatencyText(document).lines) }
    }
}
