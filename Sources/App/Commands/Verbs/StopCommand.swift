import ArgumentParser
import ControlPlane
import NodeRuntime

struct StopCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Ends the node; it tells all peers that it leaves.")

    @OptionGroup var node: NodeChoice

    var request: StopRequest { StopRequest() }

    func confirmation(_ answer: DoneDocument) -> String { "the node ends" }
}

/// The earlier name of `stop`. It was easily taken for leaving a channel, so it only names the new verb.
struct LeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "The earlier name of `stop`.", shouldDisplay: false)

    @Argument(parsing: .captureForPassthrough)
    var rest: [String] = []

    func run() throws {
        throw CommandEnd(status: .usage, message: "there is no `leave`; `partyline stop` ends the node")
    }
}
