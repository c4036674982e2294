import ArgumentParser
import ControlPlane
import NodeRuntime

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Lists the other nodes and the known keys; blocks or unblocks a peer.",
        subcommands: [List.self, Known.self, Block.self, Unblock.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the other nodes.")

        @OptionGroup var node: NodeChoice
        @Flag(help: "Prints the list `peers` of partyline.status/1.")
        var json = false

        func run() throws {
            let document = try node.ask(StatusRequest())
            if json {
                try Output.document(document.peers)
            } else {
                try Output.lines(PeerTable(document.peers, paint: .ofTerminal).lines)
            }
        }
    }

    struct Known: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys that this node has met, and your decisions about them.")

        @OptionGroup var node: NodeChoice
        @Flag(help: "Prints partyline.known/1.")
        var json = false

        func run() throws {
            let document = try node.ask(KnownKeysRequest())
            if json { try Output.document(document) } else { try Output.lines(KnownKeysTable(document).lines) }
        }
    }

    struct Block: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Blocks a peer: this node has no link to it.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "A name, an id, or the beginning of one.")
        var peer: String

        var request: BlockRequest { BlockRequest(peer: peer) }

        func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is blocked" }
    }

    struct Unblock: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Permits a link with a blocked peer again.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "A name, an id, or the beginning of one.")
        var peer: String

        var request: UnblockRequest { UnblockRequest(peer: peer) }

        func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is not blocked" }
    }
}
