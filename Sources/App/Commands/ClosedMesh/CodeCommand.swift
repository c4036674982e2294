import ArgumentParser
import ControlPlane
package import NodeRuntime

struct CodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Shows or changes the code of the closed mesh, or lets one newcomer in by six digits.",
        subcommands: [Show.self, CodeChangeCommand.self, CodeSetCommand.self, CodePairCommand.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the code, as far as this node knows it.",
            discussion: "It is read from the state folder, which only its owner may read. The node need not run.")

        @OptionGroup var node: StoppedNodeChoice

        func run() throws {
            let options = try node.options()
            guard let mesh = try KeptMesh.shown(stateOf: options) else {
                throw CommandEnd(
                    status: .failed,
                    message: "this node is in an open mesh, which has no code; `\(node.echo(options).command("init"))` "
                        + "makes a closed one")
            }
            let name = MeshAccess.shown(mesh.name)
            let running = runningNode(options)
            let isUnkept = running.map(mesh.isOlder(than:)) ?? false
            guard mesh.hasCode || isUnkept else {
                throw CommandEnd(
                    status: .failed,
                    message:
                        "the closed mesh \(name) has no code at this node, so nobody can enter through it until the "
                        + "code is changed again: `\(node.echo(options).command("code change"))`")
            }
            guard let code = mesh.code else {
                throw CommandEnd(
                    status: .failed,
                    message:
                        "this node does not know the code of the closed mesh \(name); ask at a node where it "
                        + "was drawn or typed")
            }
            let isFormer = running?.leftBehind == true || isUnkept
            let head = (isFormer ? "A former code" : "The code") + " of the closed mesh \(name)"
            let end = running == nil ? ", as this node knew it last:" : ":"
            try Output.lines([head + end] + InitText.code(code, paint: .ofTerminal))
            if running?.leftBehind == true { throw CommandEnd(status: .failed, message: MeshAccess.leftBehind) }
            if isUnkept {
                throw CommandEnd(
                    status: .failed,
                    message: "the code was changed, which could not be written here, and this node does not know the "
                        + "new one; ask at a node where it was drawn or typed")
            }
        }

        /// The part of the running node's status about itself; nil if it does not run. Its folder does not tell two
        /// facts: that the node was left behind, and that the disk has refused a change.
        private func runningNode(_ options: RunOptions) -> StatusDocument.Node? {
            let client = try? ControlClient.reaching(options)
            return (try? client?.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds))?.node
        }
    }
}

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
            let client = try node.connect()
            let status = try client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
            try client.ask(UnpairRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
            return try Output.line(
                status.node.pairing == nil
                    ? "no pairing window was open at this node"
                    : "the pairing window is closed, and its digits are of no use any more")
        }
        let document = try node.connect().ask(PairRequest(), timeoutSeconds: NodeChoice.codeTimeoutSeconds)
        if json {
            try Output.document(document)
        } else {
            try Output.lines(PairingText.lines(document, paint: .ofTerminal))
        }
    }
}

/// The output of `partyline code pair`, in 80 columns.
package enum PairingText {
    package static func lines(_ document: PairingDocument, paint: Paint) -> [String] {
        let name = Output.safe(document.mesh)
        let digits = PairingCode(document.code)?.text ?? Output.safe(document.code)
        let former = "The window that was open is closed, and its digits are of no use any more."
        return (document.replaced ? Columns.sentence(former, label: "") : [])
            + Columns.sentence("One newcomer comes into the closed mesh \(name) by these digits:", label: "")
            + ["", "      " + paint("   \(digits)   ", .marked), ""]
            + ["  there   partyline enter"]
            + Columns.sentence(
                "They hold for \(Int((document.openS / 60).rounded())) minutes, at this node alone. "
                    + "\(document.tries) failures close the window, and so does `partyline code pair --close`.",
                label: "")
    }
}
