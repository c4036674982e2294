import ArgumentParser
import ControlPlane
import NodeRuntime

struct PriorityCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "priority",
        abstract: "Lowers all others while a peer speaks, or ends that; remembered by the peer's id.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(help: "on or off.")
    var state: MuteCommand.Switch = .on

    var request: PriorityRequest { PriorityRequest(peer: peer, priority: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "\(peer) has priority" : "\(peer) has no priority"
    }
}
