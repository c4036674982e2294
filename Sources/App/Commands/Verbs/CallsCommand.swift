import ArgumentParser
import ControlPlane
import NodeRuntime

struct CallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls", abstract: "Lists the calls of others, and those of this node with the answers.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.calls/1.")
    var json = false

    func run() throws {
        let document = try node.ask(CallsRequest())
        if json {
            try Output.document(document)
        } else {
            try Output.lines(CallTable(document, paint: .ofTerminal).lines)
        }
    }
}
