/// The colour of a person in lists: 24 bits, red first. A word names it, or `#rrggbb`.
package struct Colour: Hashable, Sendable, CustomStringConvertible {
    /// No colour of one's own. Black is not offered, so its number means this.
    package static let none = Colour(number: 0)

    /// The number as records carry it.
    package let number: UInt32

    /// - Parameter number: bits above the lowest 24 are dropped.
    package init(number: UInt32) { self.number = number & 0xFF_FFFF }

    /// Reads a word, `#rrggbb` or `none`; nil if the text is none of these.
    package init?(_ text: String) {
        let word = text.lowercased()
        if let named = Colour.words.first(where: { $0.word == word }) {
            self.init(number: named.number)
        } else if word == "none" {
            self = .none
        } else {
            let digits = word.dropFirst()
            guard word.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
                let number = UInt32(digits, radix: 16), number != 0
            else { return nil }
            self.init(number: number)
        }
    }

    /// The form that `init(_:)` reads, for sentences about a wrong colour.
    package static var expectation: String {
        words.map(\.word).joined(separator: ", ") + ", #rrggbb or none"
    }

    /// The word, or `#rrggbb` without one.
    package var description: String {
        if self == .none { return "none" }
        return Colour.words.first { $0.number == number }?.word ?? hex
    }

    /// `#rrggbb`; nil for none.
    package var text: String? { self == .none ? nil : hex }

    private var hex: String {
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static let words: [(word: String, number: UInt32)] = [
        ("red", 0xE5_3935), ("orange", 0xFB_8C00), ("amber", 0xFF_B300), ("yellow", 0xFF_EB3B), ("green", 0x43_A047),
        ("teal", 0x00_ACC1), ("blue", 0x1E_88E5), ("purple", 0x8E_24AA), ("pink", 0xEC_407A), ("white", 0xFF_FFFF),
        ("grey", 0x9E_9E9E),
    ]
}
