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
        let folded = name.string.precomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let letters = folded.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "|" }
            .map { lookalikes[$0] ?? $0 }
        guard !letters.isEmpty else { return name.string }
        return String(letters).replacing("rn", with: "m").replacing("vv", with: "w")
    }

    private static let lookalikes: [Character: Character] = [
        "0": "o", "1": "l", "i": "l", "|": "l", "ı": "l",
        // Cyrillic
        "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t", "у": "y",
        "х": "x", "ѕ": "s", "і": "l", "ј": "j", "ԁ": "d", "һ": "h", "ӏ": "l", "ԛ": "q", "ԝ": "w",
        // Greek
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "l", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
        "υ": "u", "χ": "x", "ω": "w",
    ]
}
