package import Primitives

/// The name of a channel: safe to show, not empty, and at most 24 characters long.
///
/// Two names belong to the same channel if their folded forms are equal and both channels have a code, or neither. The
/// name of a channel with a code is written with a mark before it: `code:lights`. No other name begins with the mark,
/// or with what looks like it.
package struct ChannelName: Hashable, Sendable, CustomStringConvertible {
    /// What stands before the name of a channel with a code, wherever the name is written or shown.
    package static let codeMark = "code:"

    /// The name without its mark.
    package let text: SafeText
    package let hasCode: Bool

    /// Returns nil if `raw` has no visible character, is longer than `ChannelLimits` allows, or begins with what looks
    /// like the mark of a channel with a code. It is not cut to the limit, because the shorter name could belong to
    /// another channel.
    /// - Parameter raw: the name without a mark.
    package init?(_ raw: some StringProtocol, hasCode: Bool = false) {
        let whole = SafeText(raw, graphemesMax: .max, bytesMax: .max)
        let text = SafeText(
            raw, graphemesMax: ChannelLimits.nameGraphemesMax, bytesMax: ChannelLimits.nameBytesMax)
        guard !text.isEmpty, text == whole, !ChannelName.looksMarked(text.string) else { return nil }
        self.text = text
        self.hasCode = hasCode
    }

    /// The part of a written name after the mark of a channel with a code; nil if it has no mark.
    package static func unmarked(_ written: String) -> Substring? {
        written.lowercased().hasPrefix(codeMark) ? written.dropFirst(codeMark.count) : nil
    }

    /// Whether a name without a mark would be taken for that of a channel with a code.
    package static func looksMarked(_ name: String) -> Bool { MarkLook.isLike(name) }

    /// The name in lower case: the form that enters the channel's id. `SafeText` has already trimmed white space, and
    /// made each run of it one space.
    package var folded: String { text.string.lowercased() }

    package var description: String { hasCode ? ChannelName.codeMark + text.string : text.string }

    package static func == (a: ChannelName, b: ChannelName) -> Bool { a.hasCode == b.hasCode && a.folded == b.folded }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hasCode)
        hasher.combine(folded)
    }
}
