import ArgumentParser
import NodeRuntime

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
