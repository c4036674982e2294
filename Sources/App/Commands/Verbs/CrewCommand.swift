import ArgumentParser
import NodeRuntime

struct CrewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crew", abstract: "Checks a crew file, or shows what it gives a role.",
        discussion: """
            A crew file gives each role of a crew its channels, levels and settings. A node takes its role with \
            `partyline run --crew FILE --role NAME`.
            """,
        subcommands: [Check.self, Show.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Names every mistake of a crew file, with its line.",
            discussion: """
                Exit code 0 if there is none, 2 otherwise. It also warns of a key that speaks on a channel which its \
                role does not join, and of a role with keys and no channels.
                """)

        @Argument(help: "The crew file.")
        var file: String

        func run() throws {
            try Output.lines(CrewText.checked(try CrewFile(at: file), file))
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the channels and settings of a role, or of all roles.")

        @Argument(help: "The crew file.")
        var file: String
        @Option(help: ArgumentHelp("The role (all).", valueName: "name"))
        var role: String?

        func run() throws {
            let crew = try CrewFile(at: file)
            let roles = try role.map { [try crew.role($0, at: .option("--role"))] } ?? crew.roles
            try Output.lines(CrewText.lines(crew, roles))
        }
    }
}
