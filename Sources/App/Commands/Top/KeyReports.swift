/// Reads what a terminal sends for keys. It tells presses from releases if the terminal reports them
/// (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>: `CSI key ; modifiers : event u`).
package struct KeyReports {
    package enum Key: Hashable, Sendable {
        /// A byte of a terminal that reports only what a key types.
        case typed(UInt8)
        /// A key went down; also its repeats while it is held. The number is the Unicode scalar of the key without
        /// Shift.
        case down(UInt32, isControl: Bool)
        /// A key went up.
        case up(UInt32)
    }

    /// The beginning of a sequence whose rest has not been read yet.
    private var partial: [UInt8] = []
    private static let sequenceBytesMax = 32

    package init() {}

    /// Returns the keys in bytes that were read together. A sequence that means no such key is skipped.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            guard !partial.isEmpty || byte == KeyReports.escape else {
                keys.append(.typed(byte))
                continue
            }
            take(byte, into: &keys)
        }
        // A lone Escape is a key, and not the beginning of a sequence: terminals send a sequence at once.
        if partial == [KeyReports.escape] { partial = [] }
        return keys
    }

    private mutating func take(_ byte: UInt8, into keys: inout [Key]) {
        partial.append(byte)
        switch partial.count {
        case 1: return
        case 2:
            // `ESC O` begins the sequence of a function key. Any other character after Escape was typed with Alt.
            if byte != UInt8(ascii: "["), byte != UInt8(ascii: "O") { partial = [] }
        default:
            // The Linux console sends `ESC [ [ A` to `ESC [ [ E` for F1 to F5.
            let isEnd = (0x40...0x7E).contains(byte) && partial != KeyReports.consoleStart
            guard isEnd || KeyReports.sequenceBytesMax <= partial.count else { return }
            if byte == UInt8(ascii: "u"), let key = KeyReports.key(partial[2..<(partial.count - 1)]) {
                keys.append(key)
            }
            partial = []
        }
    }

    /// Reads `key[:…] [; modifiers[:event]] [; text]`.
    private static func key(_ parameters: ArraySlice<UInt8>) -> Key? {
        let parts = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            part.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(number)
        }
        guard let scalar = parts.first?.first ?? nil else { return nil }
        let state = parts.dropFirst().first ?? []
        let modifiers = (state.first ?? nil) ?? 1
        let event = (state.dropFirst().first ?? nil) ?? 1
        switch event {
        case 1, 2: return .down(scalar, isControl: 1 <= modifiers && (modifiers - 1) & 4 != 0)
        case 3: return .up(scalar)
        default: return nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        UInt32(String(decoding: digits, as: UTF8.self))
    }

    private static let escape: UInt8 = 0x1B
    private static let consoleStart = [escape] + Array("[[".utf8)
}
