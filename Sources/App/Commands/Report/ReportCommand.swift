import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Tells all that a helper needs to know, without names and addresses.",
        discussion: """
            Version, machine, sound devices, settings, status, channels, talk keys, the latest events and the result \
            of `doctor`. Names, addresses, NodeIDs and paths have stand-ins such as `peer 1`. Codes, private keys and \
            texts of calls are in no report. Works also if no node runs. Read it before you send it: names of sound \
            devices stay.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.report/1.")
    var json = false
    @Flag(help: "Keeps names, addresses and paths.")
    var names = false

    func run() throws {
        var redaction = ReportRedaction(keepsNames: names, hiding: ReportCommand.owners)
        let report = redaction.shown(try ReportCollection.report(of: node))
        if json {
            try Output.document(ReportDocument(redacted: !names, report: report))
        } else {
            try Output.lines(ReportText.lines(report, redacted: !names))
        }
    }

    /// The names of the user and of the machine, which paths and devices may hold.
    private static var owners: [String] {
        [NSUserName(), NSFullUserName(), Surroundings.hostName].filter { $0 != "root" && 2 < $0.count }
    }
}

/// The document of `partyline report --json`.
package struct ReportDocument: Codable, Hashable, Sendable {
    /// Always `partyline.report/1`.
    package var schema = "partyline.report/1"
    /// Whether stand-ins are shown in place of names, addresses and paths.
    package var redacted: Bool
    /// The parts: `version`, `system`, `devices`, `settings`, `mistakes`, `running`, `status`, `channels`, `keys`,
    /// `events`, `found`, `doctor`.
    package var report: ReportTree
}

/// A report for people to read and to send: each field in a line, below the name of its part.
package enum ReportText {
    package static func lines(_ report: ReportTree, redacted: Bool) -> [String] {
        let head = redacted ? "names, addresses and paths replaced; --names keeps them" : "with names and addresses"
        return ["partyline report: \(head)"] + fields(report, indent: "")
    }

    private static func fields(_ tree: ReportTree, indent: String) -> [String] {
        guard case .object(let fields) = tree else { return [] }
        return fields.sorted { $0.key < $1.key }.flatMap { lines(of: $0.key, $0.value, indent: indent) }
    }

    private static func lines(of key: String, _ tree: ReportTree, indent: String) -> [String] {
        if let word = word(tree) { return ["\(indent)\(key): \(word)"] }
        guard case .list(let list) = tree else { return ["\(indent)\(key)"] + fields(tree, indent: indent + "  ") }
        let words = list.compactMap(word)
        if words.count == list.count, words.allSatisfy({ !$0.contains(" ") || list.count == 1 }) {
            return ["\(indent)\(key): \(words.isEmpty ? "none" : words.joined(separator: ", "))"]
        }
        return ["\(indent)\(key)"] + list.flatMap { entry(of: $0, indent: indent + "  ") }
    }

    /// An entry of a list begins with a dash.
    private static func entry(of tree: ReportTree, indent: String) -> [String] {
        if let word = word(tree) { return ["\(indent)- \(word)"] }
        if case .list(let list) = tree { return ["\(indent)- \(list.compactMap(word).joined(separator: ", "))"] }
        let fields = fields(tree, indent: indent + "  ")
        return fields.isEmpty ? [] : ["\(indent)- \(fields[0].dropFirst(indent.count + 2))"] + fields.dropFirst()
    }

    /// An event in one line, for example `14:03:07.250Z peer_up peer 2: instance 4`; nil for another tree.
    private static func event(_ tree: ReportTree) -> String? {
        guard case .number(let time)? = tree.field("at_unix_s"), let kind = tree.text("kind") else { return nil }
        var words = "\(TimeOfDay.utc(time)) \(Output.safe(kind))"
        if let name = tree.text("name") ?? tree.text("peer") { words += " \(Output.safe(name))" }
        guard case .object(let details)? = tree.field("details") else { return words }
        let shown = details.sorted { $0.key < $1.key }.compactMap { key, value in word(value).map { "\(key) \($0)" } }
        return shown.isEmpty ? words : "\(words): \(shown.joined(separator: ", "))"
    }

    /// Nil for a tree of several values, except an event, and a cell of the matrix, which is shown by its path alone.
    private static func word(_ tree: ReportTree) -> String? {
        switch tree {
        case .text(let text): Output.safe(text)
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .flag(let flag): flag ? "yes" : "no"
        case .object:
            event(tree)
                ?? tree.text("path").flatMap { tree.text("id") == nil && tree.text("name") == nil ? $0 : nil }
        case .list: nil
        }
    }
}
