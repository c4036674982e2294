import ArgumentParser
import ControlPlane

struct LeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Tells all peers that the node leaves, and ends it.")

    @OptionGroup var node: NodeChoice

    func run() throws {
        try node.connect().perform(.leave, timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}
