import ArgumentParser
import ControlPlane
import NodeRuntime

struct MuteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mutes a peer, or ends that; remembered by the peer's id.")

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    @OptionGroup var node: NodeChoice
    @Argument(help: "A name, a short id or a whole id.")
    var peer: String
    @Argument(help: "on or off.")
    var state: Switch = .on

    func run() throws {
        let request = MuteRequest(peer: peer, muted: state == .on)
        try node.ask(request)
    }
}
