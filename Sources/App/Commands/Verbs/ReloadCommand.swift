import ArgumentParser
import ControlPlane
package import NodeRuntime

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reads the configuration file and the crew file of a node again.",
        discussion: """
            What has changed in the files has its effect at once, without a gap in the voice, and the verb names what \
            needs a restart. Files with a mistake change nothing. SIGHUP does the same.

            Exit code 0 if the node does what the files say, 1 if it refuses a part, 2 for a mistake in a file, 4 if a \
            part waits for a restart, or is not kept for the next start.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints partyline.reload/1.")
    var json = false

    func run() throws {
        let document = try node.ask(ReloadRequest())
        if json { try Output.document(document) }
        guard document.mistakes.isEmpty else {
            let message = document.mistakes.map(Output.safe).joined(separator: "\n")
            throw CommandEnd(status: .usage, message: json ? nil : message)
        }
        if !json { try Output.lines(ReloadText.lines(document)) }
        guard document.refused.isEmpty else { throw CommandEnd(status: .failed, message: nil) }
        guard document.needsRestart.isEmpty, document.notKept == nil else {
            throw CommandEnd(status: .degraded, message: nil)
        }
    }
}

/// What `partyline reload` prints.
package enum ReloadText {
    /// A line for each change; one line if there is none.
    package static func lines(_ document: ReloadDocument) -> [String] {
        let lines =
            document.changed + document.refused.map { "refused: \($0)" }
            + document.needsRestart.map { "needs a restart: \($0)" } + [document.notKept].compactMap { $0 }
        return lines.isEmpty ? ["nothing has changed in the files"] : lines.map(Output.safe)
    }
}
