import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Prints a completion script for a shell.",
        discussion: "For example, in bash: source <(partyline completion bash)")

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        try Output.line(CompletionCommand.script(shell))
    }

    static func script(_ shell: Shell) -> String {
        switch shell {
        case .bash: Partyline.completionScript(for: .bash)
        case .zsh: Partyline.completionScript(for: .zsh)
        case .fish: Partyline.completionScript(for: .fish)
        }
    }
}

extension CompletionKind {
    /// The words of a choice. The option itself is a string, so that its mistakes are told in the program's own words.
    static func words<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> CompletionKind {
        .list(type.allCases.map(\.rawValue))
    }
}
