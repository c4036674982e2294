package import Primitives
package import Trust
import Wire

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

extension ChannelID {
    /// Derives the id of a channel from its name: all nodes of one mesh that use the same name get the same id, without
    /// exchanging any message.
    ///
    /// The id is the first 16 bytes of SHA-256(label ‖ mesh id ‖ folded name). The label is "partyline/1 channel"
    /// (docs/WIRE.md, "Directory"), or "partyline/1 coded channel" for a channel with a code ("Channels with a code").
    package init(of name: ChannelName, in mesh: MeshID, sealing: any Sealing) {
        let label = name.hasCode ? "partyline/1 coded channel" : "partyline/1 channel"
        let digest = sealing.hash(Array(label.utf8) + mesh.bytes + Array(name.folded.utf8))
        self.init(high: digest.word(at: 0), low: digest.word(at: 8), hasCode: name.hasCode)
    }
}

/// Limits of a channel's name.
package enum ChannelLimits {
    /// Grapheme clusters: characters as a reader counts them.
    package static let nameGraphemesMax = WireLimits.channelNameGraphemesMax
    /// Bytes in UTF-8.
    package static let nameBytesMax = WireLimits.channelNameBytesMax
}
