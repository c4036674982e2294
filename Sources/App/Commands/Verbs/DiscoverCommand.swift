import ArgumentParser
import ControlPlane
import NodeRuntime

struct DiscoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "Lists nodes that were found and are not linked, and other meshes.",
        discussion: "Linked nodes are in `partyline peers`. Nodes of other meshes never link; --mesh sets the name.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.discover/1.")
    var json = false

    func run() throws {
        let document = try node.ask(DiscoverRequest())
        if json { try Output.document(document) } else { try Output.lines(DiscoverText(document).lines) }
    }
}
