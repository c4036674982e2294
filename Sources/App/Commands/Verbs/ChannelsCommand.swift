import ArgumentParser
import ControlPlane
import NodeRuntime

struct ChannelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists the channels of the mesh with their listeners and talkers, and the level and ear of this node."
    )

    @OptionGroup var node: NodeChoice
    @Flag(help: "Lists hidden channels too.")
    var all = false
    @Flag(help: "Prints partyline.channels/1.")
    var json = false

    func run() throws {
        let document = try node.ask(ChannelsRequest())
        if json {
            try Output.document(document)
        } else {
            try Output.lines(ChannelTable(document, showsHidden: all, paint: .ofTerminal).lines)
        }
    }
}
