import Wire

/// Limits of a channel's name.
package enum ChannelLimits {
    /// Grapheme clusters: characters as a reader counts them.
    package static let nameGraphemesMax = WireLimits.channelNameGraphemesMax
    /// Bytes in UTF-8.
    package static let nameBytesMax = WireLimits.channelNameBytesMax
}
