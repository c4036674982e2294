import ArgumentParser
import Foundation
import MeshSimulator

/// `meshsim`: the mesh protocol on virtual time, one seed, many seeds or a written scenario.
@main
struct MeshSim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meshsim",
        abstract: "Runs the mesh protocol on virtual time, and breaks things.",
        discussion: """
            Exit codes: 0 pass, 1 safety broken, 2 usage, 3 files cannot be read or written,
            4 liveness broken, 5 a run did not repeat itself, 6 a transcript differs.
            """,
        subcommands: [
            RunCommand.self, SwarmCommand.self, ScenariosCommand.self, BlessCommand.self, ShrinkCommand.self,
            RateCommand.self, ExperimentCommand.self,
            RateCommand.self, DrillsCommand.self, MutantsCommand.self, ExploreCommand.self,
            CoverageCommand.self,
        ])

    /// As ArgumentParser's own, but a wrong use ends with 2, as everywhere in partyline.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch let error as FileTrouble {
            complain(error.text)
            Foundation.exit(Outcome.files.rawValue)
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            complain(fullMessage(for: error))
            Foundation.exit(Outcome.usage.rawValue)
        }
    }
}

/// How `meshsim` ends.
enum Outcome: Int32 {
    case pass = 0
    case safety = 1
    case usage = 2
    case files = 3
    case liveness = 4
    case notRepeatable = 5
    case transcript = 6

    init(_ verdict: Verdict) {
        switch verdict {
        case .pass: self = .pass
        case .safety: self = .safety
        case .liveness: self = .liveness
        }
    }

    /// Ends the command with this code, unless it is the good one.
    func end() throws {
        if self != .pass { throw ExitCode(rawValue) }
    }
}

/// A file that could not be read or written, in words.
struct FileTrouble: Error {
    let text: String
}

/// To standard error, so that standard output stays the answer.
func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
