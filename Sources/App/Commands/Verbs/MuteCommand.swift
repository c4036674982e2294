import ArgumentParser
import ControlPlane
import NodeRuntime

struct MuteCommand: ChangingCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mutes a peer, or ends that; remembered by the peer's id.")

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, an id, or the beginning of one.")
    var peer: String
    @Argument(help: "on or off.")
    var state: Switch = .on

    var request: MuteRequest { MuteRequest(peer: peer, muted: state == .on) }

    func confirmation(_ answer: DoneDocument) -> String {
        state == .on ? "\(peer) is muted" : "\(peer) is not muted"
    }
}
