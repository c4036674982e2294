import ArgumentParser
import ControlPlane
import Foundation
import Lab
import NodeRuntime

/// From arguments to an exit status: the whole program but for `exit`.
package enum Program {
    /// Runs the command that `arguments` (without the program's name) spell.
    /// - Parameter environment: what the command reads instead of the environment of the process, for tests of which
    ///   several run at once; nil for the latter.
    package static func run(_ arguments: [String], environment: [String: String]? = nil) async -> ExitStatus {
        await Surroundings.$givenEnvironment.withValue(environment) { await outcome(of: arguments) }
    }

    private static func outcome(of arguments: [String]) async -> ExitStatus {
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
            return CommandEnd(status: status(of: error), message: Output.safe("\(error)"))
        case let error as StoppedNodeError:
            if case .notKept = error { return CommandEnd(status: .degraded, message: Output.safe("\(error)")) }
            return CommandEnd(status: .failed, message: Output.safe("\(error)"))
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
                status: .usage, message: cut(message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message))
        default: return CommandEnd(status: .failed, message: "\(error)")
        }
    }

    private static func status(of error: ControlClientError) -> ExitStatus {
        guard case .refused(let failure) = error else { return .failed }
        switch failure.code {
        case .notKept: return .degraded
        // The node alone can check some values, for example a kind of event.
        case .invalidParameters: return .usage
        default: return .failed
        }
    }

    /// The message with each long word cut: the parser repeats a word of the command line whole.
    private static func cut(_ message: String) -> String {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ", omittingEmptySubsequences: false)
                .map { word in word.count <= wordMax ? String(word) : String(word.prefix(wordMax)) + "~" }
                .joined(separator: " ")
        }
        return lines.joined(separator: "\n")
    }

    private static let wordMax = 400
}

/// The command line: one program, a verb each.
struct Partyline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partyline",
        abstract: "A party line: everyone on the channel hears everyone, without a server.",
        discussion: """
            `partyline run` is the node. Most other verbs talk to it through its control socket. Without --name they \
            take the node 'default', or the only one that runs. init, enter, code show, identity, id, devices, doctor, \
            report, crew, lab and completion need no running node.

            Exit codes: 0 done, 1 error, 2 usage, 3 no node running, 4 degraded: something is wrong, not in effect, or \
            not kept for the next start.
            """,
        version: ProgramVersion.text,
        subcommands: [
            InitCommand.self, EnterCommand.self, CodeCommand.self, IdentityCommand.self,
            RunCommand.self, TopCommand.self, StatusCommand.self, PeersCommand.self, RequestsCommand.self,
            AcceptCommand.self, DenyCommand.self, VerifyCommand.self, TrustCommand.self,
            ForgetCommand.self,
            TalkCommand.self, MuteCommand.self,
            VolumeCommand.self, PanCommand.self, PriorityCommand.self, DimCommand.self, EventsCommand.self,
            ChannelsCommand.self, JoinCommand.self, PartCommand.self, LevelCommand.self, TalkOnCommand.self,
            ChannelCommand.self, NickCommand.self, RoleCommand.self, ColourCommand.self,
            KeysCommand.self, PrivateCommand.self, ReplyCommand.self,
            CallCommand.self, AnswerCommand.self, WithdrawCommand.self, CallsCommand.self, DoNotDisturbCommand.self,
            CloseMicrophoneCommand.self,
            PingCommand.self, LatencyCommand.self, DiscoverCommand.self, AdvertiseCommand.self, StatsCommand.self,
            RecordCommand.self,
            ReplayCommand.self, IDCommand.self, DevicesCommand.self, DeviceCommand.self,
            CrewCommand.self, ReloadCommand.self, DoctorCommand.self, ReportCommand.self, StopCommand.self,
            LabCommand.self, CompletionCommand.self, LeaveCommand.self,
        ])
}

/// A word that stands where a command must stand, and names none. The parser would call it an unexpected argument, or
/// show another help text than the one that was asked for.
struct UnknownCommand {
    private let word: String
    /// The commands before the word, from `partyline` on.
    private let path: [String]
    /// The commands that exist there.
    private let known: [String]

    /// Nil if there is no such word. Only words before the first option are looked at.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var command = root
        var path = [root._commandName]
        for word in arguments.drop(while: { $0 == "help" }) {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let next = subcommands.first(where: { UnknownCommand.names(of: $0).contains(word) }) else {
                self.word = word
                self.path = path
                known =
                    subcommands.filter { $0.configuration.shouldDisplay }.flatMap { UnknownCommand.names(of: $0) }
                    + (path.count == 1 ? ["help"] : [])
                return
            }
            command = next
            path.append(next._commandName)
        }
        return nil
    }

    /// The end of the program: the word, and the command that was perhaps meant.
    var end: CommandEnd {
        let (shown, place) = (Output.safe(word), path.joined(separator: " "))
        let lack = path.count == 1 ? "there is no command '\(shown)'" : "`\(place)` has no command '\(shown)'"
        let hint = NearestWord.hint(for: word.lowercased(), among: known)
        return CommandEnd(
            status: .usage, message: "\(lack)\(hint)\n  See '\(place) --help' for more information.")
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}

/// Exit status of `partyline`; documented in its help.
package enum ExitStatus: Int32, Hashable, Sendable {
    case healthy = 0
    case failed = 1
    /// The command line or the configuration file is wrong.
    case usage = 2
    case noNodeRunning = 3
    /// The node runs and something is wrong, or is not in effect: `status --check`, `doctor`, a reload of which a part
    /// waits for a restart, a change that is not kept, a key that nobody hears.
    case degraded = 4
}

/// Error that ends a command with a status, and a message on standard error if there is one.
struct CommandEnd: Error {
    var status: ExitStatus
    var message: String?

    /// The end of a command that follows a node until the node ends.
    static let nodeEnded = CommandEnd(status: .noNodeRunning, message: "the node has ended")
}
