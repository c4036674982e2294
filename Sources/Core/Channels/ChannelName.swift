package import Primitives

/// What people call a channel: safe to show, never empty, at most 24 characters.
///
/// Two names are the same channel where their folded forms agree: lower case, no white space around.
package struct ChannelName: Hashable, Sendable, CustomStringConvertible {
    package let text: SafeText

    /// Nil where nothing is left to show, or where `raw` is longer than a name may be: a name that
    /// was cut short would be another channel.
    package init?(_ raw: some StringProtocol) {
        let whole = SafeText(raw, graphemesMax: .max, bytesMax: .max)
        let text = SafeText(
            raw, graphemesMax: ChannelLimits.nameGraphemesMax, bytesMax: ChannelLimits.nameBytesMax)
        guard !text.isEmpty, text == whole else { return nil }
        self.text = text
    }

    /// The form that enters the channel's id. SafeText has trimmed and joined white space already.
    package var folded: String { text.string.lowercased() }

    package var description: String { text.string }

    package static func == (a: ChannelName, b: ChannelName) -> Bool { a.folded == b.folded }
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
