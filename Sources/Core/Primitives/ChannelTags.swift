/// The tags by which two nodes name a channel with a code to each other: nobody else can know them.
package struct ChannelTags: Hashable, Sendable {
    package let channel: ChannelID
    /// The tag of the newest proof.
    package let newest: ChannelID
    /// The tags of the proofs before it, newest first. The peer may still use each of them.
    package let older: [ChannelID]
    /// Whether the peer is known to have the newest tag. Until then this node uses an older tag, if there is one.
    package let isNewestHeld: Bool

    package init(_ channel: ChannelID, newest: ChannelID, older: [ChannelID], isNewestHeld: Bool) {
        self.channel = channel
        self.newest = newest
        self.older = older
        self.isNewestHeld = isNewestHeld
    }
}
