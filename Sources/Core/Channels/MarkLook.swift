/// Whether a text begins with what a person may take for the mark of a channel with a code, for example `code：lights`
/// with a wide colon, or `соde:lights` with two Cyrillic letters. A channel without a code that had such a name would
/// be mistaken for a channel with a code.
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

    /// The letter of the mark, or the colon, that the scalar looks like; the scalar in lower case if it is like none of
    /// them.
    private static func look(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        if colons.contains(scalar) { return ":" }
        // The zero of any script.
        if Character(scalar).wholeNumberValue == 0 { return "o" }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
        return letters.first { $0.alike.contains(lower) }?.letter ?? letter(named: lower.properties.name) ?? lower
    }

    /// The Latin letter of which Unicode's name for a scalar says that it is a variant: wide, accented, or of a
    /// mathematical alphabet, for example `FULLWIDTH LATIN SMALL LETTER C`, `LATIN SMALL LETTER O WITH DOT BELOW` or
    /// `MATHEMATICAL BOLD CAPITAL D`, which has no small form. A mathematical omicron, sigma or epsilon counts as the
    /// Latin letter of the mark that it looks like.
    private static func letter(named name: String?) -> Unicode.Scalar? {
        guard let words = name?.split(separator: " "),
            let place = words.firstIndex(where: { $0 == "SMALL" || $0 == "CAPITAL" })
        else { return nil }
        let kinds: [Substring] = ["LATIN", "MATHEMATICAL", "FULLWIDTH"]
        let rest = words[(place + 1)...].drop { $0 == "LETTER" }
        let greek: [Substring: Unicode.Scalar] = ["OMICRON": "o", "SIGMA": "o", "EPSILON": "e"]
        guard let kind = words.first, kinds.contains(kind), let letter = rest.first,
            rest.count == 1 || rest.dropFirst().first == "WITH"
        else { return nil }
        if let latin = greek[letter] { return latin }
        return letter.count == 1 ? letter.lowercased().unicodeScalars.first : nil
    }

    /// By small letters. The lists have what Unicode's confusables (UTS #39) map to the letters of the mark, and a few
    /// more. A letter that is written from right to left, or that few fonts have, stands as its number.
    private static let letters: [(letter: Unicode.Scalar, alike: Set<Unicode.Scalar>)] = [
        ("c", likeC), ("o", likeO), ("d", likeD), ("e", likeE),
    ]

    private static let likeC: Set<Unicode.Scalar> = [
        "с", "ϲ", "ᴄ", "ⅽ", "ℂ", "ℭ", "ⲥ", "ꓚ", "ꮯ", "\u{102A2}", "\u{10302}", "\u{1043D}", "\u{1051C}", "\u{118E9}",
        "\u{118F2}",
    ]

    private static let likeO: Set<Unicode.Scalar> = [
        "о", "ο", "σ", "օ", "ᴏ", "ᴑ", "ℴ", "ⲟ", "ꓳ", "ⵔ", "ჿ", "ዐ", "ଠ", "ഠ", "ဝ", "ꬽ", "\u{5E1}", "\u{647}", "\u{665}",
        "\u{6BE}", "\u{6C1}", "\u{6D5}", "\u{6F5}", "\u{10292}", "\u{102AB}", "\u{1042C}", "\u{104EA}", "\u{10516}",
        "\u{118C8}", "\u{118D5}", "\u{118D7}",
    ]

    private static let likeD: Set<Unicode.Scalar> = [
        "ԁ", "đ", "ᴅ", "ⅾ", "ⅅ", "ⅆ", "ꓒ", "ꓓ", "ꭰ", "ꮷ", "ᑯ", "ᗞ", "ᗪ",
    ]

    private static let likeE: Set<Unicode.Scalar> = [
        "е", "ѐ", "ё", "є", "ҽ", "ε", "ᴇ", "ℯ", "ℰ", "℮", "ⅇ", "ⲉ", "ꓰ", "ꭼ", "ⴹ", "ꬲ", "⋿", "\u{10286}", "\u{118C6}",
        "\u{118CE}",
    ]

    private static let colons: Set<Unicode.Scalar> = [
        ":", "\u{FF1A}", "\u{FE55}", "\u{FE13}", "\u{FE30}", "\u{A789}", "\u{2D0}", "\u{2F8}", "\u{2236}", "\u{589}",
        "\u{5C3}", "\u{205A}", "\u{16EC}", "\u{1803}", "\u{1804}", "\u{1809}", "\u{703}", "\u{704}", "\u{2982}",
        "\u{903}", "\u{A83}", "\u{A4FD}",
    ]
}
