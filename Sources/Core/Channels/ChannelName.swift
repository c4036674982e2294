package import Primitives

/// The name of a channel: safe to show, not empty, and at most 24 characters long.
///
/// Two names belong to the same channel if their folded forms are equal.
package struct ChannelName: Hashable, Sendable, CustomStringConvertible {
    package let text: SafeText

    /// Returns nil if `raw` has no visible character, or is longer than `ChannelLimits` allows. It is not cut to the
    /// limit, because the shorter name could belong to another channel.
    package init?(_ raw: some StringProtocol) {
        let whole = SafeText(raw, graphemesMax: .max, bytesMax: .max)
        let text = SafeText(
            raw, graphemesMax: ChannelLimits.nameGraphemesMax, bytesMax: ChannelLimits.nameBytesMax)
        guard !text.isEmpty, text == whole else { return nil }
        self.text = text
    }

    /// The name in lower case: the form that enters the channel's id. `SafeText` has already trimmed white space, and
    /// made each run of it one space.
    package var folded: String { text.string.lowercased() }

    package var description: String { text.string }

    package static func == (a: ChannelName, b: ChannelName) -> Bool { a.folded == b.folded }
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
