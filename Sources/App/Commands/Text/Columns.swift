/// Measures and fits text in columns of a terminal.
package enum Columns {
    /// The largest width of a table.
    package static let lineMax = 80

    /// The number of columns that `text` takes. East Asian wide characters and emoji take two (Unicode UAX 11).
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Cuts or fills `text` to exactly `columns`. A cut is marked by `~`.
    package static func left(_ text: String, _ columns: Int) -> String {
        let fitted = fit(text, columns)
        return fitted + String(repeating: " ", count: columns - width(fitted))
    }

    /// Like `left`, but fills in front.
    package static func right(_ text: String, _ columns: Int) -> String {
        let fitted = fit(text, columns)
        return String(repeating: " ", count: columns - width(fitted)) + fitted
    }

    /// Cuts `text` to at most `columns`. A cut is marked by `~`.
    package static func fit(_ text: String, _ columns: Int) -> String {
        guard columns < width(text) else { return text }
        guard 0 < columns else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = width(character)
            guard used + next <= columns - 1 else { break }
            kept.append(character)
            used += next
        }
        return kept + "~"
    }

    /// Joins pieces with two spaces, and breaks lines between pieces. Later lines are indented below the first piece.
    package static func wrapped(_ pieces: [String], label: String) -> [String] {
        filled(pieces, gap: "  ", label: label)
    }

    /// Breaks a sentence into lines between words.
    package static func sentence(_ text: String, label: String) -> [String] {
        filled(text.split(separator: " ").map(String.init), gap: " ", label: label)
    }

    private static func filled(_ pieces: [String], gap: String, label: String) -> [String] {
        let indent = String(repeating: " ", count: width(label))
        var lines: [String] = []
        var current = label
        var isFresh = true
        for piece in pieces where !piece.isEmpty {
            let shown = fit(piece, lineMax - width(indent))
            if !isFresh, lineMax < width(current) + width(gap) + width(shown) {
                lines.append(current)
                current = indent
                isFresh = true
            }
            current += (isFresh ? "" : gap) + shown
            isFresh = false
        }
        return lines + [current]
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }) {
            return 2
        }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
}
