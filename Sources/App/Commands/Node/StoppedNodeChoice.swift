import ArgumentParser
import NodeRuntime

/// Options that select the state folder of a node that need not run.
struct StoppedNodeChoice: ParsableArguments {
    @OptionGroup var node: NodeChoice
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config: String?

    /// Returns the options of `run` that result from these, and from more settings of the command line. A crew file is
    /// not read.
    /// - Throws: `ConfigurationError` if an option has no valid value; `ConfigurationMistakes` of the configuration
    ///   file, without which another folder could be meant.
    func options(_ more: RunSettings = RunSettings()) throws -> RunOptions {
        let settings = node.settings(more)
        return try node.options(settings, file: Surroundings.origin(settings, file: config).configuration())
    }

    /// The options for the next command.
    func echo(_ options: RunOptions) -> OptionEcho {
        OptionEcho(
            name: node.name, stateDir: node.stateDir, control: node.control, config: config,
            reaching: options.controlPath)
    }
}
