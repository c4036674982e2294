import ArgumentParser
import ControlPlane
import NodeRuntime

/// Opens or closes a pairing window.
struct CodePairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Lets one newcomer in by six digits, within five minutes.",
        discussion: """
            The running node draws six digits, and shows them here. One newcomer types them at `partyline enter` in \
            place of the code of the mesh. Three failures close the window. `status` says that it is open, and \
            `events` names the node that was given the secret. The code of the mesh stays as it is. Another `code \
            pair` here closes the first window. Windows of two nodes at the same time use up each other's tries.
            """)

    @OptionGroup var node: NodeChoice
    @Flag(help: "Closes the window.")
    var close = false
    @Flag(help: "Prints partyline.pairing/1, with the digits.")
    var json = false

    func validate() throws {
        if close, json { throw ValidationError("--close goes without --json") }
    }

    func run() throws {
        if close {
            try node.ask(UnpairRequest())
            return try Output.line("no pairing window is open at this node")
        }
        let document = try node.connect().ask(PairRequest(), timeoutSeconds: NodeChoice.codeTimeoutSeconds)
        if json {
            try Output.document(document)
        } else {
            try Output.lines(PairingText.lines(document, paint: .ofTerminal))
        }
    }
}
