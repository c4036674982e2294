import Foundation
import Synchronization

/// What is told of a long work on standard error: on a terminal one line that is rewritten, elsewhere a
/// line every ten seconds. Other messages go through it, so that neither tears the other.
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

    /// Shows the newest state, or leaves it where the last one is fresh enough.
    func show(_ text: @autoclosure () -> String) {
        state.withLock { state in
            let now = Clocks.wall()
            // The first ten seconds pass without a line, so that short works stay silent.
            let shownAt = state.shownAt ?? (isTerminal ? now - intervalSeconds : now)
            state.shownAt = shownAt
            guard intervalSeconds <= now - shownAt else { return }
            state.shownAt = now
            state.isShown = isTerminal
            write(isTerminal ? "\r\u{1B}[K" + text() : text() + "\n")
        }
    }

    /// A message of its own line or lines.
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
