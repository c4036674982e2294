import ArgumentParser
import NodeRuntime

/// Options that select the state folder of a node that need not run.
struct StoppedNodeChoice: ParsableArguments {
    @OptionGroup var node: NodeChoice
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
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
