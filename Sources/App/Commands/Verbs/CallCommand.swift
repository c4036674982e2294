import ArgumentParser
import ControlPlane
import NodeRuntime
import Primitives

struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Calls a peer, a channel or everybody.",
        discussion: """
            The others hear a tone and see the call; `partyline calls` shows who has answered. Without a target the \
            first channel of the talk key is called. An urgent call is shown even under do-not-disturb.
            """)

    @OptionGroup var node: NodeChoice
    @Argument(help: "The peer: a name, a short id or a whole id.")
    var peer: String?
    @Option(help: ArgumentHelp("Calls all who listen to this channel.", valueName: "name"))
    var channel: String?
    @Flag(help: "Calls everybody.")
    var all = false
    @Option(help: ArgumentHelp("A few words, at most 24 characters.", valueName: "text"))
    var text: String?
    @Flag(help: "Shows the call even to those who do not want to be disturbed.")
    var urgent = false
    @Option(help: ArgumentHelp("How long the call is open, 1 to 120 (30).", valueName: "seconds"))
    var expires: Double?
    @Flag(help: "Prints partyline.calls/1.")
    var json = false

    func validate() throws {
        if 1 < [peer != nil, channel != nil, all].count(where: { $0 }) {
            throw ValidationError("a peer, --channel and --all exclude each other")
        }
        if let expires, !ControlLimits.callSecondsRange.contains(expires) {
            throw ValidationError("--expires takes 1 to 120 seconds")
        }
    }

    func run() throws {
        let request = CallMakeRequest(
            peer: peer, channel: channel, all: all ? true : nil, text: text, urgent: urgent ? true : nil,
            expiresS: expires)
        let document = try node.ask(request)
        if json { return try Output.document(document) }
        guard let call = document.outgoing.first(where: { $0.id == document.made }) else { return }
        let names = call.receivers.map { Output.safe($0.name) }.joined(separator: ", ")
        try Output.lines(Columns.sentence(names, label: "calling "))
    }
}
