/// Text from the network that may be shown on a terminal, in a log or on a page. Other text from the network is never
/// shown.
///
/// `init` removes control characters (C0, C1, DEL, ESC), bidirectional overrides (Trojan Source, CVE-2021-42574) and
/// invisible characters, except for joiners and variation selectors within emoji. It keeps `marksMax` marks on a
/// letter, makes each run of white space one space, and bounds the length.
package struct SafeText: Hashable, Sendable, CustomStringConvertible {
    /// Most marks on one letter. Languages need two; more cover the lines above and below.
    package static let marksMax = 2

    package let string: String

    /// Text that is too long is cut between two characters.
    /// - Parameters:
    ///   - graphemesMax: most grapheme clusters: characters as a reader counts them.
    ///   - bytesMax: most bytes in UTF-8.
    package init(_ raw: some StringProtocol, graphemesMax: Int = 24, bytesMax: Int = 96) {
        var out = ""
        var graphemeCount = 0
        var byteCount = 0
        var pendingSpace = false
        for character in raw {
            let kept = SafeText.cleaned(character)
            if character.isWhitespace || kept.isEmpty {
                pendingSpace = pendingSpace || (character.isWhitespace && !out.isEmpty)
                continue
            }
            let piece = pendingSpace ? " " + kept : kept
            graphemeCount += piece.count
            byteCount += piece.utf8.count
            guard graphemeCount <= graphemesMax, byteCount <= bytesMax else { break }
            out += piece
            pendingSpace = false
        }
        string = out
    }

    /// Decodes bytes as UTF-8; invalid sequences become U+FFFD.
    package init(bytes: [UInt8], graphemesMax: Int = 24, bytesMax: Int = 96) {
        self.init(String(decoding: bytes, as: UTF8.self), graphemesMax: graphemesMax, bytesMax: bytesMax)
    }

    package var isEmpty: Bool { string.isEmpty }
    package var description: String { string }

    /// Returns the character without its forbidden scalars. If the base scalar is forbidden, returns an empty string:
    /// the marks alone would attach to the character before.
    private static func cleaned(_ character: Character) -> String {
        let scalars = Array(character.unicodeScalars)
        var kept = String.UnicodeScalarView()
        var markCount = 0
        for (index, scalar) in scalars.enumerated() where isAllowed(scalar, at: index, of: scalars) {
            markCount = isCombining(scalar) ? markCount + 1 : 0
            if markCount <= marksMax { kept.append(scalar) }
        }
        guard let base = kept.first, !isMark(base) else { return "" }
        return String(kept)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch scalar.value {
        case 0x200D:
            // Zero-width joiner: allowed before an emoji, as in a family emoji.
            return 0 < index && index + 1 < scalars.count && scalars[index + 1].properties.isEmoji
        case 0xFE0F:
            // Variation selector 16: allowed after an emoji, which it makes coloured.
            return 0 < index && scalars[index - 1].properties.isEmoji
        case 0x2800:
            // Braille pattern without dots: invisible.
            return false
        default:
            return !scalar.properties.isDefaultIgnorableCodePoint && hasShape(scalar)
        }
    }

    private static func hasShape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Returns whether the scalar attaches to the one before: a mark, a skin tone, or the joiner.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiModifier || scalar.value == 0x200D || isCombining(scalar)
    }

    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
