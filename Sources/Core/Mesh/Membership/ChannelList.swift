import Primitives
import Wire

/// The channels that one peer listens to.
///
/// A list above the peer's allowance waits, and only the newest one: the peer sends a list once, so a dropped list
/// would be missing for good.
struct ChannelList {
    /// As sent by the boot `saidBy`.
    private(set) var channels: [ChannelID] = []
    private(set) var saidBy: BootNonce?
    /// A later list, above the allowance.
    private(set) var unread: DeferredChannels?
    private var allowance = TokenBucket(
        burst: MeshLimits.channelListsBurst, interval: MeshLimits.channelListInterval, now: .zero)

    var readAt: Instant { unread?.readAt ?? .distantFuture }

    enum Arrival {
        case unchanged, accepted, deferred
    }

    mutating func receive(_ channels: [ChannelID], saidBy boot: BootNonce?, now: Instant) -> Arrival {
        if channels == self.channels, boot == saidBy {
            unread = nil
            return .unchanged
        }
        guard allowance.take(now: now) else {
            let readAt = unread?.readAt ?? now + MeshLimits.channelListInterval
            unread = DeferredChannels(channels: channels, saidBy: boot, readAt: readAt)
            return .deferred
        }
        accept(channels, saidBy: boot)
        return .accepted
    }

    /// Accepts the list that waits, because its time has come; returns false if none waits.
    mutating func readLate(now: Instant) -> Bool {
        guard let unread else { return false }
        _ = allowance.take(now: now)
        accept(unread.channels, saidBy: unread.saidBy)
        return true
    }

    private mutating func accept(_ channels: [ChannelID], saidBy boot: BootNonce?) {
        (self.channels, saidBy) = (channels, boot)
        unread = nil
    }

    /// Forgets the lists of other boots than the one whose link has come up.
    mutating func keepOnly(saidBy boot: BootNonce) {
        if saidBy != boot { channels = [] }
        if unread?.saidBy != boot { unread = nil }
    }

    mutating func clear() { (channels, unread) = ([], nil) }
}

/// A channel list that this node handles at `readAt`, because it came above the peer's allowance.
struct DeferredChannels {
    private(set) var channels: [ChannelID]
    private(set) var saidBy: BootNonce?
    private(set) var readAt: Instant
}

extension Membership {
    /// Returns whether the list is accepted now, so that it may have to be reported.
    mutating func receiveChannels(
        _ channels: [ChannelID], saidBy boot: BootNonce?, of index: Int, _ effects: inout Effects, now: Instant
    ) -> Bool {
        switch self[index].channelList.receive(channels, saidBy: boot, now: now) {
        case .unchanged: return false
        case .accepted: return true
        case .deferred:
            effects.count(.channelsOverRate)
            effects.invalidateDeadlines()
            return false
        }
    }
}
