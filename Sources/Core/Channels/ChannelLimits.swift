/// Bounds of what people call channels.
package enum ChannelLimits {
    /// Characters as people count them.
    package static let nameGraphemesMax = 24
    package static let nameBytesMax = 96
}
