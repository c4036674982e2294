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
        let trials = DiskTrials()
        try trials.require(Surroundings.paths.configurationFile)
        let options = try node.settled(where: trials.answers).options()
        let document = try identity(options, trials)
        let lost = document.running ? nil : LostNode(options)
        if let lost { Output.note(Output.safe(lost.words)) }
        if json {
            try Output.document(document)
            return
        }
        let isStopped = !document.running && lost == nil
        try Output.lines([
            "name      \(Output.safe(document.name))", "id        \(document.id)", "short id  \(document.shortId)",
            "instance  \(document.instance.map { "\($0)" } ?? "-")\(isStopped ? " (last; not running)" : "")",
            "state     \(document.guest ? "in memory (guest)" : Output.safe(document.stateDirectory))",
        ])
    }

    /// A node that runs tells its identity also if the disk of its state folder does not answer.
    private func identity(_ options: RunOptions, _ trials: DiskTrials) throws -> IdentityDocument {
        try trials.require(options.controlFolder)
        do throws(ControlClientError) {
            let client =
                try trials.answers(options.stateDirectory)
                ? ControlClient.reaching(options) : ControlClient(path: options.controlPath)
            return try client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        } catch {
            guard case .noNodeRunning = error else { throw error }
        }
        try trials.require(options.stateDirectory)
        guard let stored = IdentityDocument(readingStateOf: options) else {
            let message = "no identity in \(options.stateDirectory); the first `partyline run` makes one"
            throw CommandEnd(status: .failed, message: message)
        }
        return stored
    }
}

struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Keeps the node's identity in a file, restores it, or gives it up.",
        discussion: """
            The identity is the key by which the others know this node, and the secret of its closed mesh. \
            `partyline id` shows it.
            """,
        subcommands: [BackUp.self, Restore.self, Reset.self])

    struct BackUp: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Writes the identity to a new file.",
            discussion: """
                The node may run. A person with this file can act as this node, so keep it where nobody else can \
                read it. The secret and the code of a closed mesh are in it too, as they are. Volumes and remembered \
                peers are not in it.
                """)

        @OptionGroup var node: StoppedNodeChoice
        @Argument(help: "The new file.", completion: .file()) var path: String

        func run() throws {
            let kept = try KeptIdentity.backUp(stateOf: try node.options(), to: path)
            let code = kept.mesh?.code == nil ? "" : " and its code"
            let mesh = kept.mesh == nil ? [] : ["It has the secret of the mesh\(code) in clear text."]
            try Output.lines(
                ["\(Output.safe(path)) holds \(kept.words). A person with this file can act as this node."] + mesh
                    + ["Keep it where nobody else can read it, for example on a stick that you lock away."])
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives this node the identity of a backup.",
            discussion: "The node must not run. Afterwards no other machine may run a node with this identity.")

        @OptionGroup var node: StoppedNodeChoice
        @Argument(help: "The file that `identity backup` wrote.", completion: .file()) var path: String
        @Flag(help: "Gives up the identity, and the closed mesh, that this node has.") var replace = false

        func run() throws {
            let warning = KeptIdentity.warning(ofBackup: path)
            let kept = try KeptIdentity.restore(stateOf: try node.options(), from: path, replaces: replace)
            try Output.lines([
                "This node is \(kept.words) now.",
                "Run it on this machine only: the others hear only one node of an identity.",
            ])
            if let warning { Output.note(warning) }
        }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives up the identity; the next start makes a new one.",
            discussion: """
                The node must not run. The next start is a new node for the others, and they do not trust its key \
                yet. The node stays in its closed mesh.
                """)

        @OptionGroup var node: StoppedNodeChoice
        @Flag(help: "Does not ask.") var yes = false

        func run() throws { try reset(.ofProcess) }

        private func reset(_ conversation: Conversation) throws {
            let options = try node.options()
            // A damaged identity has no NodeID to show.
            let id = IdentityDocument(readingStateOf: options)?.id ?? "the identity of this node"
            if !yes {
                guard conversation.isWithPerson else {
                    throw CommandEnd(status: .usage, message: "nobody is there to ask: give --yes")
                }
                conversation.ask("Give up \(id) for good? Type yes: ")
                guard conversation.line() == "yes" else { throw Conversation.ended }
            }
            try KeptIdentity.reset(stateOf: options)
            try Output.lines([
                "Given up: \(id).", "The next `\(node.echo(options).command("run"))` makes a new identity.",
            ])
        }
    }
}

extension KeptIdentity {
    fileprivate var words: String {
        "\(node.text)\(mesh.map { ", a member of the closed mesh \(MeshAccess.shown($0.name))" } ?? "")"
    }
}
