import Primitives
import Trust

/// The code of a pairing window: six digits, drawn by the node that opens the window. Every code of a mesh is longer,
/// so the text alone shows which of the two a newcomer has typed.
package struct PairingCode: Hashable, Sendable {
    package static let digitCount = 6
    private static let count: UInt64 = 1_000_000

    /// The six digits.
    let digits: String

    /// Nil if the text has a letter, or another number of digits than six. Spaces and marks do not matter.
    package init?(_ typed: String) {
        guard let folded = FoldedCode(typed) else { return nil }
        let digits = folded.bytes.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == PairingCode.digitCount, digits.allSatisfy({ $0 <= UInt8(ascii: "9") }) else { return nil }
        self.digits = String(decoding: digits, as: UTF8.self)
    }

    /// Draws a code; each is as likely as any other.
    static func drawn() -> PairingCode {
        let number = String(OSRandom.number() % count)
        guard let code = PairingCode(String(repeating: "0", count: digitCount - number.count) + number) else {
            illegal("a number of other digits", in: "a pairing code")
        }
        return code
    }

    /// For people: `493 027`.
    package var text: String { "\(digits.prefix(3)) \(digits.suffix(3))" }
}

extension PairingCode: CustomStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
