import ArgumentParser
import NodeRuntime
import Primitives
import Synchronization

struct EnterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enter",
        abstract: "Enters a closed mesh with its code, or with six digits that a member has drawn.",
        discussion: """
            The code is typed unseen, or is the only line of a file or of standard input; case and marks do not \
            matter, the words stay apart. Six digits are the code of a pairing window, which a member has opened \
            with `partyline code pair`. A node of the mesh must run on this network, or be named with --peer. The \
            node keeps the secret of the mesh for all its starts. Exit code 0 if it is in the mesh of this code, as \
            far as it knows; 1 if not.
            """)

    private static let progressSeconds = 10

    @OptionGroup var node: StoppedNodeChoice
    @Option(help: ArgumentHelp("A file with the code.", valueName: "path"), completion: .file())
    var codeFile: String?
    @Option(help: ArgumentHelp("A node of the mesh; may be given again.", valueName: "addr:port"))
    var peer: [String] = []
    @Option(
        help: ArgumentHelp("How the node finds others: auto, avahi, beacon or none (auto).", valueName: "how"),
        completion: .words(of: DiscoveryChoice.self))
    var discovery: String?
    // A mesh in which nothing changes sends a beacon about every 30 s.
    @Option(help: ArgumentHelp("How long to look for the mesh, 1 to 3600.", valueName: "seconds"))
    var seconds = 60
    @Flag(help: "Leaves the closed mesh that the node is in.")
    var replace = false

    func validate() throws {
        guard (1...EntryText.secondsMax).contains(seconds) else {
            throw ValidationError("--seconds takes 1 to \(EntryText.secondsMax)")
        }
    }

    func run() async throws {
        let (options, stopped, code) = try given()
        defer { stopped.close() }
        let text = EntryText(try await outcome(code, options, stopped), next: node.echo(options), seconds: seconds)
        guard text.isIn else { throw text.end }
        try Output.lines(text.lines)
    }

    /// The locked state folder, and the code. A person is asked for it when the node can enter. Apart from `run`, since
    /// Swift 6.3.1 fails to compile the call of a function with a typed error that becomes part of an asynchronous one.
    @inline(never)
    private func given() throws -> (RunOptions, StoppedNode, EntryCode) {
        var settings = RunSettings()
        if !peer.isEmpty { settings.set(.peer, peer.map { RunSettings.Value($0, at: .option("--peer")) }) }
        settings.set(.discovery, option: discovery)
        let options = try node.options(settings)
        let stopped = try locked(options)
        do {
            let conversation = Conversation.ofProcess
            if codeFile == nil, conversation.isWithPerson, let mesh = try member(stopped) {
                // A person would type the code for nothing.
                throw EntryText(
                    .alreadyMember(mesh: mesh.name, hasCode: false), next: node.echo(options), seconds: seconds
                ).end
            }
            return (options, stopped, try CodeInput.read(file: codeFile, conversation))
        } catch {
            stopped.close()
            throw error
        }
    }

    /// The closed mesh in which the node stays; nil if it may enter one. Apart from `outcome` for the reason above.
    @inline(never)
    private func member(_ stopped: StoppedNode) throws -> KeptMesh? {
        replace ? nil : try stopped.meshToReplace
    }

    /// Looks for the mesh, and says that it does.
    private func outcome(
        _ code: EntryCode, _ options: RunOptions, _ stopped: StoppedNode
    ) async throws -> EntryOutcome {
        if let mesh = try member(stopped) {
            return .alreadyMember(mesh: mesh.name, hasCode: code.isCode(of: mesh))
        }
        if let hint = code.hint { Output.note("\(hint) (a code of your own may have any words)") }
        try Output.line("looking for the mesh, for \(seconds) s at most ...")
        let known = Mutex(EntryProgress())
        let limit = seconds
        let progress = Task {
            var told = 0
            for passed in 1..<limit {
                try await Task.sleep(for: .seconds(1))
                let found = known.withLock { $0 }
                // Two things do not wait for the next line: 1, the first node has another code; 2, all nodes have
                // another code, so the code is most likely wrong.
                let news = found.haveAllOtherCode ? 2 : min(found.otherCodeCount, 1)
                guard told < news || passed % EnterCommand.progressSeconds == 0 else { continue }
                told = max(told, news)
                try Output.line(EntryText.progress(found, after: passed))
            }
        }
        defer { progress.cancel() }
        let entry = MeshEntry(
            options: options, code: code, within: .seconds(Int64(seconds)), replacing: replace)
        return try await entry.run(in: stopped, tells: { found in known.withLock { $0 = found } })
    }

    private func locked(_ options: RunOptions) throws -> StoppedNode {
        do throws(StoppedNodeError) {
            return try StoppedNode(options)
        } catch {
            throw EntryText(EntryOutcome(error), next: node.echo(options), seconds: seconds).end
        }
    }
}
