package import ArgumentParser
import Foundation

/// `meshsim`: the mesh protocol on virtual time, one seed, many seeds or a written scenario.
@main
package struct MeshSim: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "meshsim",
        abstract: "Runs the mesh protocol on virtual time, and breaks things.",
        discussion: """
            Exit codes: 0 pass, 1 safety broken, 2 usage, 3 files cannot be read or written,
            4 liveness broken, 5 a run did not repeat itself, 6 a transcript differs.
            """,
        subcommands: [
            RunCommand.self, SwarmCommand.self, ReplayCommand.self, ShrinkCommand.self, RegressionsCommand.self,
            ExplainCommand.self, ScenariosCommand.self, BlessCommand.self, RateCommand.self,
            ExperimentCommand.self, DirectedCommand.self, ExploreCommand.self, CoverageCommand.self,
        ])

    package init() {}

    static func main() { Foundation.exit(end(of: Array(CommandLine.arguments.dropFirst())).rawValue) }

    /// Runs one command line. Unlike ArgumentParser's own function, it ends a wrong use with 2, as all programs of
    /// partyline do.
    package static func end(of arguments: [String]) -> Outcome {
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
            return .pass
        } catch let code as ExitCode {
            return Outcome(rawValue: code.rawValue) ?? .usage
        } catch let error as FileTrouble {
            complain(error.text)
            return .files
        } catch {
            // A request for help or completions succeeds. Anything else is a wrong use.
            guard exitCode(for: error) == .success else {
                complain(fullMessage(for: error))
                return .usage
            }
            print(fullMessage(for: error))
            return .pass
        }
    }
}
