import ArgumentParser
import ControlPlane
import NodeRuntime

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Creates, deletes, renames or hides a channel.",
        subcommands: [Create.self, Delete.self, Rename.self, Hide.self, Show.self])

    struct Create: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a channel, which all nodes of the mesh then know.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name: 1 to 24 characters.")
        var name: String

        var request: ChannelCreateRequest { ChannelCreateRequest(name: name) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is created" }
    }

    struct Delete: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a channel that this node created, or that nobody else is on.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        var request: ChannelDeleteRequest { ChannelDeleteRequest(name: name) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is deleted" }
    }

    struct Rename: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Gives a channel another name.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The present name.")
        var name: String
        @Argument(help: "The new name: 1 to 24 characters.")
        var newName: String

        var request: ChannelRenameRequest { ChannelRenameRequest(name: name, newName: newName) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is called \(newName) now" }
    }

    struct Hide: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Leaves a channel out of the list of this node.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        var request: ChannelHideRequest { ChannelHideRequest(name: name, hidden: true) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is hidden in the lists of this node" }
    }

    struct Show: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Lists a hidden channel again.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        var request: ChannelHideRequest { ChannelHideRequest(name: name, hidden: false) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is in the lists of this node" }
    }
}
