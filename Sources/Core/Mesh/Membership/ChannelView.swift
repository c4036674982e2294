package import Primitives
import Wire

/// The channels of a node as its neighbours are told.
package struct ChannelView: Hashable, Sendable {
    /// The channels to which the node listens. Their order gives the places in voice labels.
    package let listened: [ChannelID]
    /// The channels on which it may talk and to which it does not listen.
    package let talks: [ChannelID]

    /// What exceeds the limits is left out.
    package init(_ listened: [ChannelID] = [], talks: [ChannelID] = []) {
        self.listened = Array(listened.prefix(WireLimits.channelsListenedMax))
        self.talks = Array(talks.prefix(WireLimits.channelsTalkedMax))
    }

    /// The places of these channels in a tally, one bit each.
    package func places(of channels: [ChannelID]) -> UInt32 {
        (listened + talks).enumerated().reduce(0) { places, entry in
            channels.contains(entry.element) ? places | 1 << UInt32(entry.offset) : places
        }
    }

    /// The channels at the places of a tally. Places beyond the view are ignored.
    package func channels(at places: UInt32) -> [ChannelID] {
        (listened + talks).enumerated().filter { places & 1 << UInt32($0.offset) != 0 }.map(\.element)
    }
}
