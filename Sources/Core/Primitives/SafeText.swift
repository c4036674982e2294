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

    private static func cleaned(_ character: Character) -> String {
        let scalars = Array(character.unicodeScalars)
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() where isAllowed(scalar, at: index, of: scalars) {
            kept.append(scalar)
        }
        return String(kept)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar, at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        if scalar.value == 0x200D {
            // The joiner stays where it joins two pictures, as in a family emoji.
            return 0 < index && index + 1 < scalars.count && scalars[index + 1].properties.isEmoji
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return false
        default:
            // Variation selectors and the invisible letters have no shape of their own.
            let invisible: Set<UInt32> = [0x115F, 0x1160, 0x3164, 0xFFA0, 0x034F, 0x17B4, 0x17B5]
            return !invisible.contains(scalar.value)
        }
    }
}
