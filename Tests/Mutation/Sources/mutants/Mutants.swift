import ArgumentParser

/// Makes faults in a copy of the sources, and asks tests and simulator whether they notice.
@main
struct Mutants: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutants", abstract: "Asks of faults in the sources whether tests and simulator notice them.",
        subcommands: [SampleCommand.self, HandmadeCommand.self, SitesCommand.self],
        defaultSubcommand: SampleCommand.self)
}

/// A failure that its text explains.
struct Trouble: Error, CustomStringConvertible {
    var description: String
}
