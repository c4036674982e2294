import ArgumentParser
import ControlPlane
package import NodeRuntime

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

/// A table with a line for each talk key:
///
///     2 DOWN  boss         latch  reply to FOH, @DSM                      FOH
///
/// The first column is the letter or digit of the terminal. Then come state, name and mode of the key, to whom it
/// speaks, and the peers that get its voice now. A last line lists the peers that have not granted this talk.
package struct KeysTable {
    private let keys: [KeysDocument.Key]
    private let paint: Paint

    package init(_ document: KeysDocument, paint: Paint) {
        keys = document.keys
        self.paint = paint
    }

    /// The heading and a line for each key, without line feeds. A long list of targets or peers takes several lines.
    package var lines: [String] {
        [paint(head(" ", "STATE", "KEY", "MODE") + "SPEAKS TO", .faint)] + keys.flatMap(lines(of:))
    }

    private func lines(of key: KeysDocument.Key) -> [String] {
        let state = key.stuck ? "STUCK" : key.talking ? "TALK" : key.down ? "DOWN" : "-"
        let label = head(
            key.terminalKey.map { Output.safe($0) } ?? " ", state, Output.safe(key.name), Output.safe(key.mode))
        let targets = KeysTable.targets(of: key)
        let reached = key.reaches.isEmpty ? ["nobody hears it now"] : ["heard by"] + key.reaches.map { Output.safe($0) }
        let refused = (key.refusedBy ?? []).map { Output.safe($0) }
        let indent = String(repeating: " ", count: Columns.width(label))
        let lines =
            Columns.wrapped(targets.isEmpty ? ["nobody"] : targets, label: label)
            + Columns.wrapped(reached, label: indent).map { paint($0, .faint) }
        return refused.isEmpty ? lines : lines + Columns.wrapped(["not granted by"] + refused, label: indent)
    }

    /// The targets as words: channels as they are called, peers with an `@`.
    package static func targets(of key: KeysDocument.Key) -> [String] {
        var words = key.channels.map { channel in
            Output.safe(channel.name)
                + (channel.deleted ? " (deleted)" : channel.exists ? "" : " (no such channel)")
        }
        words += key.peers.map { "@" + Output.safe($0.name) + ($0.linked ? "" : " (not linked)") }
        if key.reply { words.append("reply to " + (key.replyTo.map { Output.safe($0) } ?? "nobody yet")) }
        if key.all { words.append("all") }
        return words
    }

    private func head(_ letter: String, _ state: String, _ name: String, _ mode: String) -> String {
        [letter, Columns.left(state, 5), Columns.left(name, 24), Columns.left(mode, 5), ""].joined(separator: " ")
    }
}
