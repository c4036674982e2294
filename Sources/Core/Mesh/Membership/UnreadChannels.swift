import Primitives
import Wire

/// A channel list that this node handles at `readAt`, because it came above the peer's allowance.
struct UnreadChannels {
    var channels: [ChannelID]
    var saidBy: BootNonce?
    var readAt: Instant
}
