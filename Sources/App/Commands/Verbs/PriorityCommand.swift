import ArgumentParser
import ControlPlane
import NodeRuntime

struct PriorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "priority", abstract: "Lowers all others while a peer speaks; remembered by the peer's id.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, a short id or a whole id.")
    var peer: String
    @Argument(help: "on or off.")
    var state: MuteCommand.Switch = .on

    func run() throws {
        let request = PriorityRequest(peer: peer, priority: state == .on)
        try node.ask(request)
    }
}
