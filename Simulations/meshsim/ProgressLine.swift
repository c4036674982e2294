import Foundation
import Synchronization

/// Progress of a long work on standard error: on a terminal one line that is rewritten, elsewhere a line every ten
/// seconds. Other messages go through it too, so that messages and the line do not mix.
final class ProgressLine: Sendable {
    static let shared = ProgressLine(isTerminal: isatty(STDERR_FILENO) == 1)

    private struct State {
        var isShown = false
        var shownAt: Double?
    }

    private let isTerminal: Bool
    private let intervalSeconds: Double
    private let state = Mutex(State())

    init(isTerminal: Bool) {
        self.isTerminal = isTerminal
        intervalSeconds = isTerminal ? 0.2 : 10
    }

    /// Shows the newest state, unless a state was shown a short time ago.
    func show(_ text: @autoclosure () -> String) {
        state.withLock { state in
            let now = Clocks.wall()
            // Outside a terminal the first ten seconds pass without a line, so that short works print nothing.
            let shownAt = state.shownAt ?? (isTerminal ? now - intervalSeconds : now)
            state.shownAt = shownAt
            guard intervalSeconds <= now - shownAt else { return }
            state.shownAt = now
            state.isShown = isTerminal
            write(isTerminal ? "\r\u{1B}[K" + text() : text() + "\n")
        }
    }

    /// Prints a message on lines of its own.
    func say(_ text: String) {
        state.withLock { state in
            write((state.isShown ? "\r\u{1B}[K" : "") + text + "\n")
            state.isShown = false
        }
    }

    func clear() {
        state.withLock { state in
            if state.isShown { write("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
