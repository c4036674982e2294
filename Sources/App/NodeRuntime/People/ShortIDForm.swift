package import Primitives

/// The form of a short id, `f2f5-34bb`, and of its beginning: at least four hexadecimal digits, with or without the
/// dash after the fourth. People type ids so, and a name of this form reads like an id.
package enum ShortIDForm {
    static let digitsMin = 4
    static let digitsMax = 8

    /// Whether the short id of a node is `text`, or begins so. Upper and lower case do not matter.
    static func begins(_ node: NodeID, _ text: String) -> Bool {
        digits(of: text).map { digits(of: node).hasPrefix($0) } ?? false
    }

    /// Whether people take a text for an id. Words such as `Fade` are hexadecimal digits too: with neither a decimal
    /// digit nor a dash, only eight of them count.
    package static func isID(_ text: String) -> Bool {
        guard let typed = digits(of: text) else { return false }
        return text.contains { $0.isASCII && $0.isNumber || $0 == "-" } || typed.count == digitsMax
    }

    /// Whether a text has the form of a whole short id. A shorter one, such as `1001`, may be the number of a person's
    /// belt pack.
    static func isWhole(_ text: String) -> Bool { digits(of: text)?.count == digitsMax }

    /// Whether a name looks like the short id of a node, or like its beginning.
    package static func resembles(_ name: SafeText, _ node: NodeID) -> Bool {
        Likeness(of: name, look: NameLook.of(name))?.fits(node) ?? false
    }

    /// The digits of a name that people may take for a short id, or for its beginning. A number, because it is compared
    /// with the ids of all known keys.
    struct Likeness {
        private let digits: UInt32
        private let count: Int

        /// Nil for any other name.
        /// - Parameter look: that of the name.
        init?(of name: SafeText, look: @autoclosure () -> String) {
            guard
                name.string.contains(where: { $0.isNumber || $0 == "-" })
                    || ShortIDForm.digitsMax <= name.string.count
            else { return nil }
            var (digits, count): (UInt32, Int) = (0, 0)
            for letter in look() {
                // The digits 0 and 1 have the looks of letters (`NameLook`).
                let digit: Character = letter == "o" ? "0" : letter == "l" ? "1" : letter
                guard digit.isASCII, let value = digit.hexDigitValue, count < ShortIDForm.digitsMax else { return nil }
                (digits, count) = (digits << 4 | UInt32(value), count + 1)
            }
            guard ShortIDForm.digitsMin <= count else { return nil }
            (self.digits, self.count) = (digits, count)
        }

        /// Whether the short id of a node is the name, or begins so.
        func fits(_ node: NodeID) -> Bool {
            let id = UInt32(truncatingIfNeeded: node.words.0 >> 32)
            return id >> UInt32(4 * (ShortIDForm.digitsMax - count)) == digits
        }
    }

    private static func digits(of node: NodeID) -> String { node.short.replacing("-", with: "") }

    /// The hexadecimal digits of a text, in small letters; nil if it has another form.
    private static func digits(of text: String) -> String? {
        let groups = text.lowercased().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        if groups.count == 2, groups[0].count != digitsMin { return nil }
        let digits = groups.joined()
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), digitsMin <= digits.count, digits.count <= digitsMax
        else { return nil }
        return digits
    }
}
