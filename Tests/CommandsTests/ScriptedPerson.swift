import Commands
import Synchronization

/// A person who types prepared lines, and the questions that were shown.
final class ScriptedPerson: Sendable {
    private let state: Mutex<(rest: [String], shown: String, forgetCount: Int)>
    private let isPerson: Bool

    /// - Parameter isPerson: false for a program that writes these lines.
    init(_ lines: [String], isPerson: Bool = true) {
        state = Mutex((lines, "", 0))
        self.isPerson = isPerson
    }

    /// Everything that was shown. A line that was typed unseen is not in it.
    var shown: String { state.withLock { $0.shown } }
    /// How often what was typed before a question was forgotten.
    var forgetCount: Int { state.withLock { $0.forgetCount } }
    var linesLeft: Int { state.withLock { $0.rest.count } }

    var conversation: Conversation {
        Conversation(
            isWithPerson: isPerson, ask: { text in self.state.withLock { $0.shown += text } },
            line: {
                let line = self.next()
                self.state.withLock { $0.shown += (line ?? "") + "\n" }
                return line
            },
            hiddenLine: { self.next() },
            forgetTyped: { self.state.withLock { $0.forgetCount += 1 } })
    }

    private func next() -> String? {
        state.withLock { $0.rest.isEmpty ? nil : $0.rest.removeFirst() }
    }
}
