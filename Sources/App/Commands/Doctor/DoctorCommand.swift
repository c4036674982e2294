import ArgumentParser
package import NodeRuntime

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks what a node needs on this machine, and names remedies.",
        discussion: "Exit code 4 if something prevents a node from working.")

    @OptionGroup var node: NodeChoice
    @Option(help: ArgumentHelp("The configuration file of the next start.", valueName: "path"), completion: .file())
    var config: String?
    @Flag(help: "Prints the document partyline.doctor/1.")
    var json = false

    func run() throws {
        let document = Diagnosis.document(DoctorExamination.facts(try ExaminedFiles(node, config: config)))
        if json {
            try Output.document(document)
        } else {
            try Output.lines(Diagnosis.lines(document, paint: .ofTerminal))
        }
        if document.checks.contains(where: { $0.verdict == .fail }) {
            throw CommandEnd(status: .degraded, message: nil)
        }
    }
}

/// The document of `partyline doctor --json`.
package struct DoctorDocument: Codable, Hashable, Sendable {
    /// Always `partyline.doctor/1`.
    package var schema = "partyline.doctor/1"
    /// The name of the mesh; absent if it is not known which it is.
    package var mesh: String?
    /// Whether the mesh is closed: everybody in it has proved its secret.
    package var meshClosed: Bool
    /// Whether the code of the closed mesh was changed without this node, as its running node has learnt.
    package var leftBehind: Bool
    /// Which nodes of the mesh may link to this node: `open`, `ask` or `known`.
    package var admission: String
    /// The results, in the order in which the checks were made.
    package var checks: [Check]

    /// The first line for people; nil if it is not known.
    package var access: MeshAccess? {
        mesh.map { MeshAccess(mesh: $0, isClosed: meshClosed, isLeftBehind: leftBehind, admission: admission) }
    }

    package enum Verdict: String, Codable, Hashable, Sendable { case pass, warn, fail }

    /// The result of one check.
    package struct Check: Codable, Hashable, Sendable {
        /// `fail` means that a node cannot work.
        package var verdict: Verdict
        /// The part of the machine that was checked.
        package var subject: String
        /// The fact that was found.
        package var finding: String
        /// The remedy; absent with `pass`.
        package var remedy: String?
    }
}
