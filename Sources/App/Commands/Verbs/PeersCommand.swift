import ArgumentParser
import ControlPlane
package import NodeRuntime

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Lists the other nodes and the known keys; blocks or unblocks a peer.",
        subcommands: [List.self, Known.self, Block.self, Unblock.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the other nodes.")

        @OptionGroup var node: NodeChoice
        @Flag(help: "Prints partyline.status/1; its `peers` are the other nodes.")
        var json = false

        func run() throws {
            let document = try node.ask(StatusRequest())
            if json {
                try Output.document(document)
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

        func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is blocked" + answer.lossNotice }
    }

    struct Unblock: ChangingCommand {
        static let configuration = CommandConfiguration(abstract: "Permits a link with a blocked peer again.")

        @OptionGroup var node: NodeChoice
        @Argument(help: "A name, an id, or the beginning of one.")
        var peer: String

        var request: UnblockRequest { UnblockRequest(peer: peer) }

        func confirmation(_ answer: KeyDocument) -> String { "\(answer.subject) is not blocked" + answer.lossNotice }
    }
}

/// The known keys for people, in 80 columns:
///
///     NAME             ID        TRUST     FIRST       LAST
///     LX-DESK          91c3-0b11 verified  2026-11-01  here
///
/// A `?` before a name marks one that is known under another key.
package struct KnownKeysTable {
    private let document: KnownKeysDocument

    package init(_ document: KnownKeysDocument) { self.document = document }

    /// The lines, without line feeds.
    package var lines: [String] {
        let notes = [
            document.kept ? "" : "this node can store nothing: the keys are forgotten when it ends",
            document.dropped == 0 ? "" : "\(Int(clamping: document.dropped).counted("key")) not kept: there is no room",
        ].filter { !$0.isEmpty }
        guard !document.keys.isEmpty else { return ["no keys known yet"] + notes }
        let heading = row("NAME", "ID", "TRUST", "FIRST", "LAST")
        return [heading]
            + document.keys.map { key -> String in
                let name = key.name.isEmpty ? "-" : Output.safe(key.name)
                return row(
                    KnownKeyWords.listed(name, isSuspect: key.otherKey != nil), Output.safe(key.shortId),
                    key.blocked ? "blocked" : Output.safe(key.trust), KnownKeyWords.day(key.firstSeenUnixS),
                    key.here ? "here" : KnownKeyWords.day(key.lastSeenUnixS))
            } + notes
    }

    private func row(_ name: String, _ id: String, _ trust: String, _ first: String, _ last: String) -> String {
        [Columns.left(name, 24), Columns.left(id, 9), Columns.left(trust, 9), Columns.left(first, 10), last]
            .joined(separator: " ")
    }
}
