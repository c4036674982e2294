import Foundation
package import Primitives

/// The look of a name: its letters as a person reads them without looking closely. Names that look alike count as the
/// same name when keys are compared: a stranger may write `F0H`, `foh` or a Cyrillic `FОH` for `FOH`.
///
/// Case, accents, width, spaces and marks do not matter; letters of other scripts count as the Latin letters that they
/// resemble. The list of these is short: it covers only letters that a person easily confuses.
package enum NameLook {
    /// The look of a name; names without a letter or digit keep their own. Empty only for an empty name.
    package static func of(_ name: SafeText) -> String {
        let composed = name.string.precomposedStringWithCompatibilityMapping
            .folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
        let folded = String(composed.map { capitals[$0] ?? $0 })
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let letters = folded.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "|" }
            .map { lookalikes[$0] ?? $0 }
        guard !letters.isEmpty else { return name.string }
        return String(letters).replacing("rn", with: "m").replacing("vv", with: "w")
    }

    /// Capitals, by the Latin letters that they resemble. Case matters for the Greek Η, Ν and Υ alone: their small
    /// letters resemble other Latin letters.
    private static let capitals: [Character: Character] = [
        // Cyrillic
        "А": "a", "В": "b", "Е": "e", "К": "k", "М": "m", "Н": "h", "О": "o", "Р": "p", "С": "c", "Т": "t", "У": "y",
        "Х": "x", "Ѕ": "s", "І": "l", "Ј": "j", "Ү": "y", "Һ": "h", "Ӏ": "l", "Ԛ": "q", "Ԝ": "w",
        // Greek
        "Α": "a", "Β": "b", "Ε": "e", "Ζ": "z", "Η": "h", "Ι": "l", "Κ": "k", "Μ": "m", "Ν": "n", "Ο": "o", "Ρ": "p",
        "Τ": "t", "Υ": "y", "Χ": "x",
    ]

    private static let lookalikes: [Character: Character] = [
        "0": "o", "1": "l", "i": "l", "|": "l", "ı": "l", "ø": "o", "ł": "l", "đ": "d",
        // Cyrillic
        "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t", "у": "y",
        "х": "x", "ѕ": "s", "і": "l", "ј": "j", "ԁ": "d", "һ": "h", "ӏ": "l", "ԛ": "q", "ԝ": "w", "ү": "y",
        // Greek
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "l", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
        "υ": "u", "χ": "x", "ω": "w", "ζ": "z",
    ]
}
