import ArgumentParser
import ControlPlane
import NodeRuntime

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Creates, deletes, renames or hides a channel.",
        subcommands: [Create.self, Delete.self, Rename.self, Hide.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a channel, which all nodes of the mesh then know.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name: 1 to 24 characters.")
        var name: String

        func run() throws {
            try node.ask(ChannelCreateRequest(name: name))
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a channel that this node created, or that nobody else is on.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        func run() throws {
            try node.ask(ChannelDeleteRequest(name: name))
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Gives a channel another name.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The present name.")
        var name: String
        @Argument(help: "The new name: 1 to 24 characters.")
        var newName: String

        func run() throws {
            let request = ChannelRenameRequest(name: name, newName: newName)
            try node.ask(request)
        }
    }

    struct Hide: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Leaves a channel out of the list of this node.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        func run() throws {
            let request = ChannelHideRequest(name: name, hidden: true)
            try node.ask(request)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists a hidden channel again.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        func run() throws {
            let request = ChannelHideRequest(name: name, hidden: false)
            try node.ask(request)
        }
    }
}
