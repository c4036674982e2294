import Foundation

/// Colour where it helps and is wanted: on a terminal, unless `NO_COLOR` is set (no-color.org).
package struct Paint: Hashable, Sendable {
    /// Select Graphic Rendition parameters (ECMA-48 section 8.3.117).
    package enum Tone: String, Sendable { case good = "32", attention = "33", bad = "31", faint = "2" }

    /// No colour at all.
    package static let plain = Paint(isColoured: false)
    /// Colour whatever standard output is.
    package static let coloured = Paint(isColoured: true)

    private let isColoured: Bool

    static var ofTerminal: Paint {
        let environment = ProcessInfo.processInfo.environment
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isWanted && isatty(STDOUT_FILENO) == 1 ? .coloured : .plain
    }

    /// `text` in a tone; adds no columns.
    package func callAsFunction(_ text: String, _ tone: Tone?) -> String {
        guard isColoured, let tone else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
