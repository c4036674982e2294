import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the health of the node, its sound and its mesh.")

    @OptionGroup var node: NodeChoice
    @Flag(help: "Prints the document partyline.status/1.")
    var json = false
    @Flag(help: "Shows who hears whom.")
    var matrix = false
    @Flag(help: "Exit code 4 if the node or its mesh is degraded; without this option 0.")
    var check = false
    @Option(
        defaultAsFlag: 1.0,
        help: ArgumentHelp("Repeats at this interval, 0.1 to 3600.", valueName: "seconds"))
    var watch: Double?

    func validate() throws {
        guard let watch else { return }
        guard 0.1 <= watch, watch <= 3_600 else { throw ValidationError("--watch takes 0.1 to 3600 seconds") }
        guard !check else { throw ValidationError("--check asks once; leave out --watch") }
    }

    func run() throws {
        let client = try node.connect()
        let paint = Paint.ofTerminal
        while true {
            let document = try client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
            try show(document, paint: paint)
            guard let watch else {
                if check, document.isDegraded { throw CommandEnd(status: .degraded, message: nil) }
                return
            }
            Thread.sleep(forTimeInterval: watch)
        }
    }

    private func show(_ document: StatusDocument, paint: Paint) throws {
        if json {
            if watch == nil { try Output.document(document) } else { try Output.compactDocument(document) }
            return
        }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let lines =
            matrix
            ? MatrixText(document.matrix, paint: paint).lines
            : StatusText(document, paint: paint, isForTerminal: isTerminal).lines
        let clear = watch != nil && isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
        try Output.line(clear + lines.joined(separator: "\n"))
    }
}
