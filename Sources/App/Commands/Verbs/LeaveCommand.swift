import ArgumentParser
import ControlPlane

struct LeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Says good-bye to everyone and ends the node.")

    @OptionGroup var node: NodeChoice

    func run() throws {
        try node.connect().perform(.leave, timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}
