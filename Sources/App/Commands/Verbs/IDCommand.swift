import ArgumentParser
import ControlPlane
import NodeRuntime
import Primitives

struct IDCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id", abstract: "Shows the node's identity, also while it does not run.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.id/1.")
    var json = false

    func run() throws {
        let document = try identity()
        if json {
            try Output.document(document)
            return
        }
        try Output.lines([
            "name      \(Output.safe(document.name))", "id        \(document.id)", "short id  \(document.shortId)",
            "instance  \(document.instance.map { "\($0)" } ?? "-")\(document.running ? "" : " (last; not running)")",
            "state     \(document.guest ? "in memory (guest)" : Output.safe(document.stateDirectory))",
        ])
    }

    private func identity() throws -> IdentityDocument {
        let options = try node.options()
        do throws(ControlClientError) {
            let client = try ControlClient.reaching(options)
            return try client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        } catch {
            guard case .noNodeRunning = error else { throw error }
        }
        guard let stored = IdentityDocument(readingStateOf: options) else {
            let message = "no identity in \(options.stateDirectory); the first `partyline run` makes one"
            throw CommandEnd(status: .failed, message: message)
        }
        return stored
    }
}
