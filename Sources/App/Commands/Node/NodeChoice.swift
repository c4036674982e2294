import ArgumentParser
import ControlPlane
import NodeRuntime

/// Options that select the running node to which a command talks.
struct NodeChoice: ParsableArguments {
    @Option(help: "The node's name on this machine.")
    var name: String?
    @Option(help: ArgumentHelp("The node's state folder.", valueName: "dir"), completion: .directory)
    var stateDir: String?
    @Option(help: ArgumentHelp("The node's control socket.", valueName: "path"), completion: .file())
    var control: String?

    /// Time in which a node must answer.
    static let timeoutSeconds = 5.0
    /// The same for a request with a code: its key takes a tenth of a second of an idle machine, and the node may wait
    /// some seconds until it is known whether a linked peer has the code.
    static let codeTimeoutSeconds = 20.0
    /// The same for a request that waits until the disk has a recording. The system may keep half a minute of it in
    /// memory first.
    static let diskTimeoutSeconds = 60.0

    /// Returns the options of `run` with the name and the paths of the selected node; nothing else in them is set. The
    /// files may have mistakes in other settings: a person who edits them must still reach the node that runs.
    /// - Throws: `ConfigurationMistakes` if a name or path is not valid.
    func options() throws -> RunOptions { try Surroundings.origin(settings()).place() }

    /// These options as settings of the command line, with more of them.
    func settings(_ more: RunSettings = RunSettings()) -> RunSettings {
        var settings = more
        settings.set(.name, option: name)
        settings.set(.stateDir, option: Surroundings.absolute(stateDir))
        settings.set(.control, option: Surroundings.absolute(control))
        return settings
    }

    /// Connects to the selected node. If no option selects one, connects to the default node, or to the only node that
    /// runs.
    /// - Throws: `ControlClientError` if the node does not run or does not answer; `CommandEnd` if several nodes run,
    ///   or if the control socket of the node is gone.
    func connect() throws -> ControlClient {
        let options = try options()
        do throws(ControlClientError) {
            return try ControlClient.reaching(options)
        } catch {
            guard case .noNodeRunning = error else { throw error }
            if let lost = LostNode(options) { throw CommandEnd(status: .failed, message: Output.safe(lost.words)) }
            guard isOpen, let other = try NodeChoice.onlyOther(than: options) else { throw error }
            return other.client
        }
    }

    /// Connects to the selected node, and asks it once.
    /// - Throws: the errors of `connect`, and `ControlClientError` if the node refuses or does not answer.
    @discardableResult
    func ask<Request: ControlRequest>(_ request: Request) throws -> Request.Answer {
        try connect().ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)
    }

    /// Returns this choice; if no option selects a node and the default one does not run, the choice of the only node
    /// that runs, or this one if none runs. For commands that also work without a node, and for those that ask it
    /// more than once.
    /// - Parameter answers: whether the disk of a path answers; nothing is read of one that does not.
    /// - Throws: `CommandEnd` if several nodes run.
    func settled(where answers: (String) -> Bool = { _ in true }) throws -> NodeChoice {
        // A mistake in the files is for the caller.
        guard isOpen, let options = try? options(), options.foldersOfNode.allSatisfy(answers) else { return self }
        do throws(ControlClientError) {
            _ = try ControlClient.reaching(options)
            return self
        } catch {
            guard case .noNodeRunning = error, LostNode(options) == nil else { return self }
        }
        guard let other = try NodeChoice.onlyOther(than: options, where: answers) else { return self }
        var choice = self
        (choice.name, choice.stateDir) = (other.name, other.stateDir)
        return choice
    }

    /// Whether no option selects a node.
    private var isOpen: Bool { name == nil && stateDir == nil && control == nil }

    /// Returns the only node that runs besides the one of `options`; nil if there is none.
    /// - Throws: `CommandEnd` if several nodes run.
    private static func onlyOther(
        than options: RunOptions, where answers: (String) -> Bool = { _ in true }
    ) throws -> RunningNode? {
        let running = RunningNode.found(by: Surroundings.paths, besides: options.controlPath, where: answers)
        guard running.count <= 1 else {
            throw CommandEnd(
                status: .usage, message: "several nodes are running; \(RunningNode.choice(of: running))")
        }
        if let other = running.first { Output.note("using the node '\(Output.safe(other.name))'") }
        return running.first
    }
}

extension ControlClient {
    /// Asks a node that has answered before.
    /// - Throws: `CommandEnd.nodeEnded` if the node has ended meanwhile; otherwise as `ask(_:timeoutSeconds:)`.
    @discardableResult
    func askAgain<Request: ControlRequest>(_ request: Request) throws -> Request.Answer {
        do throws(ControlClientError) {
            return try ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)
        } catch {
            guard case .closed = error else { throw error }
            throw CommandEnd.nodeEnded
        }
    }

    /// Connects to the node that `options` name: at the path in the options, in a folder of the socket's own, or at the
    /// path that its state folder shows. At all but the first, another node of the same name may be found, so a node
    /// that says that it has another state folder is passed over.
    /// - Throws: the errors of `init(path:)` for the path in the options. If this path is too long, and no person has
    ///   named it, `noNodeRunning`: a node would have made its socket elsewhere.
    static func reaching(_ options: RunOptions) throws(ControlClientError) -> ControlClient {
        do throws(ControlClientError) {
            return try ControlClient(path: options.controlPath)
        } catch {
            for path in options.controlPaths.dropFirst() + [options.shownControl].compactMap({ $0 }) {
                guard let client = try? ControlClient(path: path) else { continue }
                let identity = try? client.ask(IdentityRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
                // A node that looks for its closed mesh does not say it.
                guard let identity else { return client }
                if identity.stateDirectory == options.stateDirectory { return client }
            }
            if case .socket(.pathTooLong(let path)) = error, options.rescue != nil { throw .noNodeRunning(path: path) }
            throw error
        }
    }
}

/// Options that select the state folder of a node that need not run.
struct StoppedNodeChoice: ParsableArguments {
    @OptionGroup var node: NodeChoice
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"), completion: .file())
    var config: String?

    /// Returns the options of `run` that result from these, from more settings of the command line, and from the files.
    /// - Throws: `ConfigurationMistakes` of the options, and of the files, without which another folder or mesh could
    ///   be meant.
    func options(_ more: RunSettings = RunSettings()) throws -> RunOptions {
        try Surroundings.origin(node.settings(more), file: config).read()
    }

    /// The options for the next command.
    func echo(_ options: RunOptions) -> OptionEcho {
        OptionEcho(
            name: node.name, stateDir: node.stateDir, control: node.control, config: config,
            reaching: options.controlPath)
    }
}

/// The options by which a person selected a node, as the next command needs them.
package struct OptionEcho: Hashable, Sendable {
    private let node: [String]
    private let config: [String]
    /// The control socket of the node; needed where only the configuration file knows it.
    private let control: String

    /// The options as they were typed; nil for those that were not given.
    /// - Parameter reaching: the path of the control socket that results from all of them.
    package init(
        name: String? = nil, stateDir: String? = nil, control: String? = nil, config: String? = nil,
        reaching path: String = ""
    ) {
        node = [("--name", name), ("--state-dir", stateDir), ("--control", control)]
            .flatMap { option, value in value.map { [option, $0] } ?? [] }
        self.config = config.map { ["--config", $0] } ?? []
        self.control = config == nil || control != nil ? "" : path
    }

    /// A command line of `run`, `init`, `enter` or `code`.
    package func command(_ words: String) -> String { OptionEcho.line(words, node + config) }

    /// A command line of a verb for a running node, which reads only the standard configuration file.
    package func verb(_ words: String) -> String {
        OptionEcho.line(words, node + (control.isEmpty ? [] : ["--control", control]))
    }

    private static func line(_ words: String, _ options: [String]) -> String {
        (["partyline \(words)"] + options.map { word($0) }).joined(separator: " ")
    }

    /// A word as a shell takes it, fit for a terminal.
    static func word(_ text: String) -> String { ShellWord.quoted(Output.safe(text)) }
}

/// A verb that changes something at the node, and confirms it in one line.
protocol ChangingCommand: ParsableCommand {
    associatedtype Request: ControlRequest

    var node: NodeChoice { get }
    /// What the node is asked to do.
    var request: Request { get throws }

    /// What the node has done, as a sentence. It may hold what the person has typed.
    func confirmation(_ answer: Request.Answer) -> String
    /// What the person should know beside it, a sentence each. They may hold what the person has typed.
    func warnings(in answer: Request.Answer) -> [String]
}

extension ChangingCommand {
    func run() throws { try change() }

    func warnings(in answer: Request.Answer) -> [String] { [] }

    /// Asks the node, and prints what it has done, with the warnings.
    /// - Parameter settled: the choice of a node that the verb asks more than once; nil if it asks once.
    func change(at settled: NodeChoice? = nil) throws {
        let answer = try (settled ?? node).ask(request)
        try Output.line(Output.safe(confirmation(answer)))
        for warning in warnings(in: answer) { Output.note(Output.safe(warning)) }
    }
}
