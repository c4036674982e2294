import ArgumentParser
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
                        "this node does not know the code of the closed mesh \(name); ask at a node where the code "
                        + "was typed")
            }
            try Output.lines(["The code of the closed mesh \(name):"] + InitText.code(code, paint: .ofTerminal))
        }
    }
}
