/// Text from the network that is fit for a terminal, a log or a page.
///
/// The only way to make one is the sanitiser: no control characters (C0, C1, DEL, ESC), no
/// bidirectional overrides (Trojan Source, CVE-2021-42574), no invisible characters but the
/// joiner inside emoji, runs of white space made one space, bounded length. What people read is
/// SafeText; what is not SafeText is not shown.
package struct SafeText: Hashable, Sendable, CustomStringConvertible {
    package let string: String

    /// - Parameters:
    ///   - graphemesMax: characters as people count them.
    ///   - bytesMax: UTF-8 bytes; cut between characters, never inside one.
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

    /// Reads bytes as UTF-8; what is not UTF-8 becomes U+FFFD.
    package init(bytes: [UInt8], graphemesMax: Int = 24, bytesMax: Int = 96) {
        self.init(String(decoding: bytes, as: UTF8.self), graphemesMax: graphemesMax, bytesMax: bytesMax)
    }

    package var isEmpty: Bool { string.isEmpty }
    package var description: String { string }

    /// A character without what is not allowed; empty where its base letter was not, so that no
    /// mark is left to sit on whatever stands before.
    private static func cleaned(_ character: Character) -> String {
        let scalars = Array(character.unicodeScalars)
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() where isAllowed(scalar, at: index, of: scalars) {
            kept.append(scalar)
        }
        guard let base = kept.first, !isMark(base) else { return "" }
        return String(kept)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch scalar.value {
        case 0x200D:
            // The joiner stays where it joins two pictures, as in a family emoji.
            return 0 < index && index + 1 < scalars.count && scalars[index + 1].properties.isEmoji
        case 0xFE0F:
            // Asks for the coloured form of the picture before it.
            return 0 < index && scalars[index - 1].properties.isEmoji
        case 0x2800:
            // The braille pattern without dots.
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

    /// Whether it joins what stands before it: a mark, a skin tone, the joiner itself.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiModifier || scalar.value == 0x200D { return true }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
