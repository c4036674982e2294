/// The tags by which two nodes name a channel with a code to each other: nobody else can know them.
package struct ChannelTags: Hashable, Sendable {
    package var channel: ChannelID
    /// The tag of the newest proof.
    package var newest: ChannelID
    /// The tag of the proof before it. The peer may still use it.
    package var former: ChannelID?
    /// Whether the peer is known to have the newest tag. Until then it is told the former one.
    package var isNewestHeld: Bool

    package init(_ channel: ChannelID, newest: ChannelID, former: ChannelID?, isNewestHeld: Bool) {
        self.channel = channel
        self.newest = newest
        self.former = former
        self.isNewestHeld = isNewestHeld
    }
}
