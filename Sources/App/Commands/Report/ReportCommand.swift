import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Tells all that a helper needs to know, without names and addresses.",
        discussion: """
            Version, machine, sound devices, settings, status and the result of `doctor`. Names, addresses, NodeIDs \
            and paths have stand-ins such as `peer 1`. Codes and keys are in no report. Works also if no node runs. \
            Read it before you send it: names of sound devices stay.
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
    /// The parts: `version`, `system`, `devices`, `settings`, `mistakes`, `running`, `status`, `found`, `doctor`.
    package var report: ReportTree
}
