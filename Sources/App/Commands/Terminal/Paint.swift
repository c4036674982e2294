import Foundation

/// Colours text on a terminal, unless the environment variable `NO_COLOR` is set (no-color.org).
package struct Paint: Hashable, Sendable {
    /// Parameters of the control sequence Select Graphic Rendition (ECMA-48 §8.3.117).
    package enum Tone: String, Sendable { case good = "32", attention = "33", bad = "31", faint = "2", marked = "7" }

    /// Never colours.
    package static let plain = Paint(isColoured: false)
    /// Always colours.
    package static let coloured = Paint(isColoured: true)

    private let isColoured: Bool

    static var ofTerminal: Paint {
        let environment = ProcessInfo.processInfo.environment
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isWanted && isatty(STDOUT_FILENO) == 1 ? .coloured : .plain
    }

    /// Returns `text` in a tone, with the same number of visible columns.
    package func callAsFunction(_ text: String, _ tone: Tone?) -> String {
        guard isColoured, let tone else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
