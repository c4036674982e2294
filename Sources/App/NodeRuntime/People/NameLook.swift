import Foundation
package import Primitives

/// The look of a name: its letters as a person reads them without looking closely. Names that look alike count as the
/// same name when keys are compared: a stranger may write `F0H`, `foh` or a Cyrillic `FОH` for `FOH`.
///
/// Case, accents, width, spaces and marks do not matter; letters of other scripts count as the Latin letters that they
/// resemble, and so do zeros. The list covers only letters that a person easily confuses: most are from Unicode's
/// confusables (UTS #39), and many letters of rare scripts are left out.
package enum NameLook {
    /// The look of a name; names without a letter or digit keep their own. Empty only for an empty name.
    package static func of(_ name: SafeText) -> String {
        let composed = name.string.precomposedStringWithCompatibilityMapping
            .folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
        let folded = String(composed.map { capitals[$0] ?? $0 })
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let letters = folded.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "|" }
            .map { lookalikes[$0] ?? ($0.wholeNumberValue == 0 ? "o" : $0) }
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
        // Armenian
        "Տ": "s",
    ]

    private static let lookalikes: [Character: Character] = [
        "1": "l", "i": "l", "|": "l", "ı": "l", "ø": "o", "ł": "l", "đ": "d",
        // Cyrillic
        "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t", "у": "y",
        "х": "x", "ѕ": "s", "і": "l", "ј": "j", "ԁ": "d", "һ": "h", "ӏ": "l", "ԛ": "q", "ԝ": "w", "ү": "y",
        // Greek
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "l", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t",
        "υ": "u", "χ": "x", "ω": "w", "ζ": "z",
        // Latin small capitals, and the script letters
        "ᴀ": "a", "ʙ": "b", "ᴄ": "c", "ᴅ": "d", "ᴇ": "e", "ꜰ": "f", "ɢ": "g", "ʜ": "h", "ɪ": "l", "ᴊ": "j", "ᴋ": "k",
        "ʟ": "l", "ᴍ": "m", "ɴ": "n", "ᴏ": "o", "ᴘ": "p", "ʀ": "r", "ꜱ": "s", "ᴛ": "t", "ᴜ": "u", "ᴠ": "v", "ᴡ": "w",
        "ʏ": "y", "ᴢ": "z", "ɑ": "a", "ɡ": "g",
        // Armenian
        "ց": "g", "հ": "h", "ո": "n", "օ": "o", "զ": "q", "ս": "u",
        // Coptic
        "ⲥ": "c", "ⲏ": "h", "ⲓ": "l", "ⲕ": "k", "ⲙ": "m", "ⲛ": "n", "ⲟ": "o", "ⲣ": "p", "ⲅ": "r", "ⲧ": "t", "ⲭ": "x",
        "ⲩ": "y",
        // Lisu
        "ꓮ": "a", "ꓐ": "b", "ꓚ": "c", "ꓓ": "d", "ꓰ": "e", "ꓝ": "f", "ꓖ": "g", "ꓧ": "h", "ꓲ": "l", "ꓙ": "j", "ꓗ": "k",
        "ꓡ": "l", "ꓟ": "m", "ꓠ": "n", "ꓳ": "o", "ꓑ": "p", "ꓣ": "r", "ꓢ": "s", "ꓔ": "t", "ꓴ": "u", "ꓦ": "v", "ꓪ": "w",
        "ꓫ": "x", "ꓬ": "y", "ꓜ": "z",
        // Cherokee
        "ꭺ": "a", "ꮟ": "b", "ᏼ": "b", "ꮯ": "c", "ꭰ": "d", "ꮷ": "d", "ꭼ": "e", "ꮐ": "g", "ᏻ": "g", "ꮋ": "h", "ꮒ": "h",
        "ꭵ": "l", "ꭻ": "j", "ꮶ": "k", "ꮮ": "l", "ꮇ": "m", "ꮲ": "p", "ꭱ": "r", "ꮢ": "r", "ꮁ": "r", "ꮥ": "s", "ꮪ": "s",
        "ꭲ": "t", "ꮩ": "v", "ꮃ": "w", "ꮤ": "w", "ꭹ": "y", "ꮍ": "y", "ꮓ": "z",
        // Canadian syllabics
        "ᗅ": "a", "ᑲ": "b", "ᗷ": "b", "ᑯ": "d", "ᗞ": "d", "ᗪ": "d", "ᖴ": "f", "ᕼ": "h", "ᒍ": "j", "ᒪ": "l", "ᗰ": "m",
        "ᑭ": "p", "ᖇ": "r", "ᑌ": "u", "ᐯ": "v", "ᕁ": "x",
    ]
}
