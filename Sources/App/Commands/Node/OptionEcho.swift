import NodeRuntime

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
