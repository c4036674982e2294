import Foundation
import NodeRuntime

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
        let environment = Surroundings.environment
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isWanted && isatty(STDOUT_FILENO) == 1 ? .coloured : .plain
    }

    /// Returns `text` in a tone, with the same number of visible columns.
    package func callAsFunction(_ text: String, _ tone: Tone?) -> String {
        guard let tone else { return text }
        return attributed(text, tone.rawValue)
    }

    /// Returns a person's name in the colour that the person has chosen, else in a tone.
    package func callAsFunction(_ name: String, colour: String?, otherwise tone: Tone?) -> String {
        guard let colour = colour.flatMap({ Colour($0) }), colour != .none else { return self(name, tone) }
        return attributed(name, "38;5;\(Paint.cubeIndex(of: colour.number))")
    }

    private func attributed(_ text: String, _ parameters: String) -> String {
        isColoured ? "\u{1B}[\(parameters)m\(text)\u{1B}[0m" : text
    }

    /// The nearest colour of the 6 × 6 × 6 cube that begins at 16 in the 256 colours of xterm. Its levels are 0, 95,
    /// 135, and so on in steps of 40.
    private static func cubeIndex(of colour: UInt32) -> UInt32 {
        let levels = [16, 8, 0].map { shift -> UInt32 in
            let level = colour >> UInt32(shift) & 0xFF
            return level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40
        }
        return 16 + 36 * levels[0] + 6 * levels[1] + levels[2]
    }
}

extension MeshAccess {
    /// A mesh in which anybody can listen asks for attention: people easily take it for private. So does a node that
    /// was left behind.
    var tone: Paint.Tone { isForAnybody || isLeftBehind ? .attention : .good }
}
