import ArgumentParser

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks what a node needs on this machine, and names remedies.",
        discussion: "Exits with 4 if something prevents a node from working.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.doctor/1.")
    var json = false

    func run() throws {
        let document = Diagnosis.document(DoctorExamination.facts(try node.options()))
        if json {
            Output.document(document)
        } else {
            Output.lines(Diagnosis.lines(document, paint: .ofTerminal))
        }
        if document.checks.contains(where: { $0.verdict == .fail }) {
            throw CommandEnd(status: .degraded, message: nil)
        }
    }
}
