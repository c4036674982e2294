import ArgumentParser
import NodeRuntime

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks what a node needs on this machine, and names remedies.",
        discussion: "Exit code 4 if something prevents a node from working.")

    @OptionGroup var node: NodeChoice
    @Option(help: ArgumentHelp("The configuration file of the next start.", valueName: "path"))
    var config: String?
    @Flag(help: "Prints the document partyline.doctor/1.")
    var json = false

    func run() throws {
        let (options, mistakes) = try Surroundings.origin(node.settings(), file: config).examineFiles()
        let document = Diagnosis.document(DoctorExamination.facts(options, mistakes))
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
