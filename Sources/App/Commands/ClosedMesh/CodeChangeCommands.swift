import ArgumentParser
import ControlPlane
import Glibc
package import NodeRuntime

/// Chooses a new code.
struct CodeChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Gives the mesh a new code, and leaves behind the nodes that you name.",
        discussion: """
            The node chooses four words, and shows them. All members go on talking and need not type them; one \
            that is away is given the new secret when it returns. A node that --leave names loses its links at once, \
            gets no voice from then on, and comes in again only with the new code. So does each node that feeds \
            programme at the same address. A later change keeps a node that came in again if it is linked then, \
            unless --leave names it again. Ctrl-C does not stop a change that has begun; `partyline code show` shows \
            the code again.
            """)

    @OptionGroup var node: NodeChoice
    @OptionGroup var change: CodeChangeOptions

    func run() throws {
        let code = TypedCode.made()
        try change.ask(for: code, at: node, shows: true)
    }
}

/// Takes a code of the person's own.
struct CodeSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Gives the mesh a code of your own, and leaves behind the nodes that you name.",
        discussion: """
            The code is typed unseen, or is the only line of a file or of standard input; it needs about 40 bits, as \
            four words of the list have. All else is as in `partyline code change`.
            """)

    @OptionGroup var node: NodeChoice
    @OptionGroup var change: CodeChangeOptions
    @Option(help: ArgumentHelp("A file with the code.", valueName: "path"), completion: .file())
    var codeFile: String?

    func run() throws {
        let node = try node.settled()
        // Without a running node the person need not type a code.
        try node.ask(IdentityRequest())
        try change.ask(for: try CodeInput.choose(file: codeFile, .ofProcess), at: node, shows: false)
    }
}

/// The options and the request that both verbs share.
struct CodeChangeOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Nodes that are left behind, by name or id.", valueName: "peer"))
    var leave: [String] = []
    @Flag(help: "Prints partyline.code_change/1, without the code.")
    var json = false

    /// - Parameter shows: whether to show the code, because the person does not know it.
    fileprivate func ask(for code: TypedCode, at node: NodeChoice, shows: Bool) throws {
        let request = CodeChangeRequest(code: code.typed, leave: leave)
        let client = try node.connect()
        // From here on the code may change. Ctrl-C would keep the person from seeing the new one, so it is ignored
        // until the answer is there, some seconds later at most.
        signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, SIG_DFL) }
        let document = try CodeChangeOptions.answer(to: request, of: client)
        if json {
            try Output.document(document)
        } else {
            try Output.lines(CodeChangeText.lines(document, code: shows ? code : nil, paint: .ofTerminal))
        }
    }

    private static func answer(
        to request: CodeChangeRequest, of client: ControlClient
    ) throws -> CodeChangeDocument {
        do throws(ControlClientError) {
            return try client.ask(request, timeoutSeconds: NodeChoice.codeTimeoutSeconds)
        } catch {
            if case .refused = error { throw error }
            throw CommandEnd(
                status: .failed,
                message: "\(Output.safe("\(error)")); the code may have changed: `partyline code show` shows it")
        }
    }
}

/// The output of `partyline code change` and `code set`, in 80 columns.
package enum CodeChangeText {
    /// If the mesh has left at least so many nodes behind, the output warns of the limit.
    private static let leftBehindWarned = 200

    /// - Parameter code: the code that was chosen; nil if a person brought their own.
    package static func lines(_ document: CodeChangeDocument, code: TypedCode?, paint: Paint) -> [String] {
        let name = Output.safe(document.mesh)
        let head = Columns.sentence(
            "The closed mesh \(name) has a new code."
                + (code == nil ? "" : " Newcomers, and nodes left behind, come in with it:"), label: "")
        return head + (code.map { InitText.code($0, paint: paint) } ?? [])
            + people("stay", document.staying) + people("stay, and are given the new secret on return", document.away)
            + people("stay, although left behind before", document.returned)
            + people("stay, although blocked here", document.blocked)
            + people("left behind", document.leftBehind)
            + people("stay, perhaps on a machine that is left behind", document.unclear)
            + programme(isNeeded: !document.unclear.isEmpty)
            + advice(isNeeded: !document.returned.isEmpty || !document.blocked.isEmpty)
            + limit(document.leftBehind.count + document.returned.count)
    }

    private static func programme(isNeeded: Bool) -> [String] {
        guard isNeeded else { return [] }
        return Columns.sentence(
            "Each of them feeds programme, or may do so: this node has not met it since its own start. If it runs on "
                + "a machine that is left behind, name it too: `partyline code change --leave NAME`", label: "")
    }

    private static func advice(isNeeded: Bool) -> [String] {
        guard isNeeded else { return [] }
        return Columns.sentence(
            "A node that has come in again by the code is a member, and a block counts at this node alone. One more "
                + "change leaves such a node behind: `partyline code change --leave NAME`", label: "")
    }

    private static func limit(_ count: Int) -> [String] {
        guard leftBehindWarned <= count else { return [] }
        return Columns.sentence(
            "This mesh has left \(count) nodes behind; \(CodeChangeDocument.leftBehindMax) are the most. After them "
                + "`code change --leave` is refused; `partyline init --replace` makes another mesh.", label: "")
    }

    private static func people(_ words: String, _ names: [String]) -> [String] {
        names.isEmpty ? [] : Columns.sentence(Output.list(names), label: "  \(words): ")
    }
}
