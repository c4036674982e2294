import ArgumentParser
import ControlPlane
import NodeRuntime

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
            guard let mesh = try KeptMesh.read(stateOf: options) else {
                throw CommandEnd(
                    status: .failed,
                    message: "this node is in an open mesh, which has no code; `\(node.echo(options).command("init"))` "
                        + "makes a closed one")
            }
            let name = MeshAccess.shown(mesh.name)
            guard mesh.hasCode else {
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
            let isFormer = wasLeftBehind(options)
            let head = (isFormer ? "A former code" : "The code") + " of the closed mesh \(name):"
            try Output.lines([head] + InitText.code(code, paint: .ofTerminal))
            if isFormer { throw CommandEnd(status: .failed, message: MeshAccess.leftBehind) }
        }

        /// Whether the node runs and has learnt that the code was changed without it.
        private func wasLeftBehind(_ options: RunOptions) -> Bool {
            let client = try? ControlClient.reaching(options)
            let status = try? client?.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
            return status?.node.leftBehind ?? false
        }
    }
}
