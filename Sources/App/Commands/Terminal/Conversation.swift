import CLinux
import Foundation

/// Questions to a person at a terminal, or lines of a program. Tests play the person.
package struct Conversation {
    /// Whether a person is there to answer.
    package let isWithPerson: Bool
    /// Shows a text, and does not end the line.
    package let ask: (String) -> Void
    /// The next line; nil at the end of the input.
    package let line: () -> String?
    /// The next line, which the terminal does not show while it is typed.
    package let hiddenLine: () -> String?
    /// Forgets what the person has typed and this program has not read yet.
    package let forgetTyped: () -> Void

    package init(
        isWithPerson: Bool, ask: @escaping (String) -> Void, line: @escaping () -> String?,
        hiddenLine: @escaping () -> String?, forgetTyped: @escaping () -> Void
    ) {
        self.isWithPerson = isWithPerson
        self.ask = ask
        self.line = line
        self.hiddenLine = hiddenLine
        self.forgetTyped = forgetTyped
    }

    /// That of this process. Questions go to standard error, so that a program gets the answer of the command alone.
    static var ofProcess: Conversation {
        let isTerminal = isatty(STDIN_FILENO) == 1
        return Conversation(
            isWithPerson: isTerminal, ask: Output.ask,
            line: { readLine() },
            hiddenLine: {
                guard isTerminal else { return readLine() }
                guard linux_terminal_hide_typing(STDIN_FILENO) == 0 else { return nil }
                defer { linux_terminal_restore() }
                return readLine()
            },
            forgetTyped: { if isTerminal { tcflush(STDIN_FILENO, TCIFLUSH) } })
    }

    /// Asks until `read` takes the answer. An empty answer takes `standard`.
    /// - Throws: `CommandEnd` at the end of the input.
    package func answer<Answer>(
        to question: String, standard: String, read: (String) throws -> Answer
    ) throws -> Answer {
        while true {
            ask(standard.isEmpty ? "\(question): " : "\(question) [\(standard)]: ")
            guard let typed = line() else { throw Conversation.ended }
            let text = typed.trimmingCharacters(in: .whitespaces)
            do {
                return try read(text.isEmpty ? standard : text)
            } catch {
                ask("  \(Output.safe("\(error)"))\n")
            }
        }
    }

    /// Asks until the answer is one of `words`, or begins one. An empty answer takes the first.
    /// - Throws: `CommandEnd` at the end of the input.
    package func word(of words: [String], to question: String) throws -> String {
        try answer(to: question, standard: words.first ?? "") { text in
            guard let word = words.first(where: { $0.hasPrefix(text.lowercased()) }) else {
                throw AnswerFault("expected \(words.joined(separator: " or "))")
            }
            return word
        }
    }

    /// The end of a command whose questions were not answered.
    static var ended: CommandEnd { CommandEnd(status: .failed, message: "nothing was changed") }
}

/// The reason why an answer is not taken, for the person who gave it.
struct AnswerFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
