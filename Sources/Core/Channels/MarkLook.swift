/// Whether a text begins with what a person may take for the mark of a channel with a code, for example `code：lights`
/// with a wide colon, or `соde:lights` with two Cyrillic letters. Such a name of an open channel would be mistaken for
/// a channel with a code.
///
/// Case, accents, width, spaces and combining marks do not matter. Letters and colons of other scripts count if a
/// person easily takes them for those of the mark.
enum MarkLook {
    static func isLike(_ text: String) -> Bool {
        guard text.unicodeScalars.contains(where: { colons.contains($0) }) else { return false }
        var awaited = "code:".unicodeScalars[...]
        for scalar in text.unicodeScalars where !isPassedOver(scalar) {
            guard look(of: scalar) == awaited.popFirst() else { return false }
            if awaited.isEmpty { return true }
        }
        return false
    }

    private static func isPassedOver(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format, .spaceSeparator: !colons.contains(scalar)
        default: false
        }
    }

    /// The letter of the mark, or the colon, that the scalar looks like; the scalar itself if it is like none of them.
    private static func look(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        if colons.contains(scalar) { return ":" }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
        return letters.first { $0.alike.contains(lower) }?.letter ?? letter(named: lower.properties.name) ?? lower
    }

    /// The Latin letter of which Unicode's name for a scalar says that it is a variant: wide, accented, or of a
    /// mathematical alphabet, for example `FULLWIDTH LATIN SMALL LETTER C` or `LATIN SMALL LETTER O WITH DOT BELOW`.
    private static func letter(named name: String?) -> Unicode.Scalar? {
        guard let words = name?.split(separator: " "), let place = words.firstIndex(of: "SMALL") else { return nil }
        let kinds: [Substring] = ["LATIN", "MATHEMATICAL", "FULLWIDTH"]
        let rest = words[(place + 1)...].drop { $0 == "LETTER" }
        guard let kind = words.first, kinds.contains(kind), let letter = rest.first, letter.count == 1,
            rest.count == 1 || rest.dropFirst().first == "WITH"
        else { return nil }
        return letter.lowercased().unicodeScalars.first
    }

    private static let letters: [(letter: Unicode.Scalar, alike: Set<Unicode.Scalar>)] = [
        ("c", ["с", "ϲ", "ᴄ", "ⅽ"]),
        ("o", ["0", "о", "ο", "օ", "ᴏ", "ℴ"]),
        ("d", ["ԁ", "đ", "ᴅ", "ⅾ", "ⅆ"]),
        ("e", ["е", "ѐ", "ё", "ҽ", "ε", "ᴇ", "ℯ", "ⅇ"]),
    ]

    private static let colons: Set<Unicode.Scalar> = [
        ":", "\u{FF1A}", "\u{FE55}", "\u{FE13}", "\u{FE30}", "\u{A789}", "\u{2D0}", "\u{2F8}", "\u{2236}", "\u{589}",
        "\u{5C3}", "\u{205A}", "\u{16EC}", "\u{1804}", "\u{703}", "\u{704}", "\u{2982}", "\u{903}", "\u{A83}",
    ]
}
