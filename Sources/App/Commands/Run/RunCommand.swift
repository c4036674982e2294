import ArgumentParser
import Foundation
import NodeRuntime

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a node in the foreground.",
        discussion: """
            In a terminal: space talks (with --talk ptt while it is held down, with latch until it is pressed again, \
            with smart either), 1 to 8 work the talk keys of config.toml, c switches the microphone off while it is \
            held, q ends the node. Every option but --config and --verbose can be set in config.toml under its own \
            name; an option on the command line overrides the role of a crew file, and the role overrides config.toml. \
            SIGHUP reads both files again, as `partyline reload` does.
            """)

    @OptionGroup var arguments: RunArguments

    func run() async throws {
        var options = try Surroundings.origin(arguments.settings(), file: arguments.config).read()
        options.logForm = Surroundings.logForm
        guard try await EntryBeforeRun(options, next: arguments.echo(options)).run() else { return }
        let console = RunConsole.start(options)
        defer { console?.stop() }
        if console != nil, options.logForm == .terminal, isatty(STDERR_FILENO) == 1 {
            options.logForm = .besideLiveLine
        }
        try await PartylineNode(options: options).run()
    }
}
