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

struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Creates, deletes, renames, hides or shows a channel.",
        subcommands: [Create.self, Delete.self, Rename.self, Hide.self, Show.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a channel, which all nodes of the mesh then know.",
            discussion: """
                With --code the channel has a code, which is shown once. A node hears the channel only after it has \
                joined it with this code; other nodes do not learn its name. Its name is written code:NAME.
                """)

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name: 1 to 24 characters.")
        var name: String
        @Flag(help: "Gives the channel a code of four words, shows it, and joins the channel.")
        var code = false
        @Option(
            help: ArgumentHelp("The same with a code of your own: a file with the code.", valueName: "path"),
            completion: .file())
        var codeFile: String?

        func run() throws {
            guard code || codeFile != nil else {
                let node = try node.settled()
                // Afterwards the name no longer leads to the channel that was renamed.
                let before = try? node.ask(ChannelsRequest())
                try node.ask(ChannelCreateRequest(name: name))
                try Output.line(Output.safe("channel \(name) is created"))
                if let note = before.flatMap({ ReusedNameText.note(of: name, in: $0) }) { Output.note(note) }
                // The channel exists, even if the node does not answer this question.
                guard var channels = try? node.ask(ChannelsRequest()) else { return }
                channels.isNew = true
                if let warning = MistypedChannelText.created(name, in: channels) { Output.note(warning) }
                return
            }
            let own = try codeFile.map { try CodeInput.code(of: $0, TypedCode.chosen) }
            let (marked, code) = (CodedName.marked(name), own ?? TypedCode.made())
            let connection = try node.connect()
            // Another code would cut this node off from all that have joined with the present one.
            let present = try connection.ask(ChannelsRequest(), timeoutSeconds: NodeChoice.codeTimeoutSeconds)
            if present.channel(named: marked) != nil {
                let shown = Output.safe(marked)
                throw CommandEnd(status: .failed, message: "\(shown) has a code; part it first for another one")
            }
            let request = JoinRequest(channel: marked, code: code.typed)
            func show(sharedWith others: [String]) throws {
                try Output.lines(
                    ChannelCodeText.lines(marked, code: own == nil ? code : nil, others, paint: .ofTerminal))
            }
            let answer: ChannelsDocument
            do throws(ControlClientError) {
                answer = try connection.ask(request, timeoutSeconds: NodeChoice.codeTimeoutSeconds)
            } catch {
                // This node is on the channel all the same, and the person needs its code.
                if case .refused(let failure) = error, failure.code == .notKept { try show(sharedWith: []) }
                throw error
            }
            try show(sharedWith: answer.channel(named: marked)?.sharedWith ?? [])
            for warning in JoinedChannelText.warnings(of: marked, in: answer) { Output.note(warning) }
        }
    }

    struct Delete: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a channel that this node created, or that nobody else is on.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        func run() throws {
            let node = try node.settled()
            // Afterwards a node that is not on the channel lists it no more.
            let channels = try? node.ask(ChannelsRequest())
            try Output.line(Output.safe(confirmation(try node.ask(request))))
            if let note = channels.flatMap({ ChannelDeletionText.note(of: name, in: $0) }) { Output.note(note) }
        }

        var request: ChannelDeleteRequest { ChannelDeleteRequest(name: name) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is deleted" }
    }

    struct Rename: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Renames a channel that this node created, or that nobody else is on.",
            discussion: """
                If its creator renames a channel, the nodes on it follow, with level, ear and talk keys. Files may \
                still name it by its former name. A node that does not know the creator stays on the former channel, \
                and its status says so. `join` of the former name is refused with the new one.

                Another spelling of the name, such as Lamp for lamp, corrects how it is written: the channel stays. \
                Only its creator may do that.
                """)

        @OptionGroup var node: NodeChoice
        @Argument(help: "The present name.")
        var name: String
        @Argument(help: "The new name: 1 to 24 characters.")
        var newName: String

        func run() throws {
            let node = try node.settled()
            let before = try? node.ask(ChannelsRequest())
            try change(at: node)
            let note = before.flatMap { ReusedNameText.note(of: newName, renaming: name, in: $0) }
            if let note { Output.note(note) }
        }

        var request: ChannelRenameRequest { ChannelRenameRequest(name: name, newName: newName) }

        func confirmation(_ answer: DoneDocument) -> String { "channel \(name) is called \(newName) now" }
    }

    struct Hide: ChangingCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leaves a channel out of the list of this node while the node is not on it.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "The name of the channel.")
        var name: String

        var request: ChannelHideRequest { ChannelHideRequest(name: name, hidden: true) }

        func confirmation(_ answer: DoneDocument) -> String {
            "channel \(name) is hidden here while this node is not on it"
        }
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
