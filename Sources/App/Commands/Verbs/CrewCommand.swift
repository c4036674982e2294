import ArgumentParser
package import NodeRuntime

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
                role does not join, or to which its role only listens, of a channel of output2 to which its role does \
                not listen, and of a role with keys and no channels.
                """)

        @Argument(help: "The crew file.", completion: .file())
        var file: String

        func run() throws {
            try Output.lines(CrewText.checked(try CrewFile(at: file), file))
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the channels and settings of a role, or of all roles.")

        @Argument(help: "The crew file.", completion: .file())
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

/// What `partyline crew check` and `crew show` print.
package enum CrewText {
    /// The warnings about a crew file without mistakes, each with its line, and then what the file has.
    package static func checked(_ crew: CrewFile, _ path: String) -> [String] {
        let warnings = crew.warnings
        let end = warnings.isEmpty ? "" : "; \(warnings.count.counted("warning"))"
        let has = "\(crew.roles.count.counted("role")), \(crew.channels.count.counted("channel"))"
        return warnings.map { "\($0)" } + ["\(path): no mistake; \(has)\(end)"]
    }

    /// The channels of each role in columns, then its settings.
    ///
    /// - Parameter roles: those roles of the crew that are shown.
    package static func lines(_ crew: CrewFile, _ roles: [CrewRole]) -> [String] {
        var lines = crew.name.isEmpty ? [] : [crew.name, ""]
        for (index, role) in roles.enumerated() {
            if 0 < index { lines.append("") }
            lines.append("role \(role.name)")
            let width = role.channels.map { Columns.width("\($0.name)") }.max() ?? 0
            for wish in role.channels {
                lines.append("  " + Columns.left("\(wish.name)", width) + "  " + wish.words)
            }
            for key in role.settings.keys { lines.append("  key \(key.name): \(words(key))") }
            for key in RunKey.allCases {
                let texts = role.settings.all(key).map { Output.safe($0.text) }
                if !texts.isEmpty { lines.append("  \(key.rawValue) = \(texts.joined(separator: ", "))") }
            }
        }
        return lines
    }

    /// The targets of a talk key and its mode.
    private static func words(_ key: KeyTable) -> String {
        let targets =
            key.channels.map { "\($0)" } + key.peers.map { "\($0)" } + (key.isReply ? ["reply"] : [])
            + (key.isToAll ? ["all"] : [])
        return targets.joined(separator: ", ") + (key.mode.map { " (\($0.rawValue))" } ?? "")
    }
}
