import ArgumentParser
import ControlPlane
import NodeRuntime

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Lists the talk keys: to whom each speaks, and who hears it.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.keys/1.")
    var json = false

    func run() throws {
        let document = try node.ask(KeysRequest())
        if json {
            try Output.document(document)
        } else {
            try Output.lines(KeysTable(document, paint: .ofTerminal).lines)
        }
    }
}
