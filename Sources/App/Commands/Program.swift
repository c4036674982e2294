import ArgumentParser
import ControlPlane
import Foundation
import NodeRuntime

/// From arguments to an exit status: the whole program but for `exit`.
package enum Program {
    /// Runs the command that `arguments` (without the program's name) spell.
    package static func run(_ arguments: [String]) async -> ExitStatus {
        do {
            if let unknown = UnknownCommand(in: arguments, of: Partyline.self) { throw unknown.end }
            var command = try Partyline.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return .healthy
        } catch {
            let end = ending(error)
            guard end.status == .healthy, let message = end.message else { return tell(end) }
            do { try Output.line(message) } catch { return tell(ending(error)) }
            return .healthy
        }
    }

    /// Says to the person why a command has not done what it should.
    private static func tell(_ end: CommandEnd) -> ExitStatus {
        if let message = end.message { Output.note(message) }
        return end.status
    }

    /// The status and the words of an error; help and version are errors to the parser, and healthy.
    static func ending(_ error: any Error) -> CommandEnd {
        switch error {
        case let end as CommandEnd:
            return end
        case let code as ExitCode:
            // The command has said why.
            return CommandEnd(status: ExitStatus(rawValue: code.rawValue) ?? .failed, message: nil)
        case let error as ControlClientError:
            if case .noNodeRunning = error { return CommandEnd(status: .noNodeRunning, message: "\(error)") }
            if case .refused(let failure) = error, failure.code == .notKept {
                return CommandEnd(status: .degraded, message: Output.safe("\(error)"))
            }
            return CommandEnd(status: .failed, message: Output.safe("\(error)"))
        case let error as StoppedNodeError:
            if case .notKept = error { return CommandEnd(status: .degraded, message: Output.safe("\(error)")) }
            return CommandEnd(status: .failed, message: "\(error)")
        case let fault as StandardOutputFault:
            return CommandEnd(status: .failed, message: fault.isReaderGone ? nil : "\(fault)")
        case let error as ConfigurationError:
            return CommandEnd(status: .usage, message: Output.safe("\(error)"))
        case let error as ConfigurationMistakes:
            return CommandEnd(
                status: .usage, message: error.all.map { Output.safe("\($0)") }.joined(separator: "\n"))
        default:
            break
        }
        // The parser's own number for a wrong command line is EX_USAGE of sysexits(3).
        switch Partyline.exitCode(for: error) {
        case .success: return CommandEnd(status: .healthy, message: Partyline.fullMessage(for: error))
        case .validationFailure:
            let message = Partyline.fullMessage(for: error)
            return CommandEnd(
                status: .usage, message: message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message)
        default: return CommandEnd(status: .failed, message: "\(error)")
        }
    }
}
