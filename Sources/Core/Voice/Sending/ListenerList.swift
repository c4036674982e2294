package import Primitives
package import Wire

/// A peer's list of channels to which it listens, as this node holds it (docs/WIRE.md, "Carrier frames", CHANNELS).
package struct ListenerList: Hashable, Sendable {
    /// In the peer's order: a place in this list is a place in a voice label.
    package var channels: [ChannelID]
    /// The generation of the list; 0 before the first one.
    package var generation: UInt8

    package init(channels: [ChannelID] = [], generation: UInt8 = 0) {
        self.channels = channels
        self.generation = generation
    }

    /// How the peer reads a frame that is said on `targets`; empty if it listens to none of them.
    package func label(of targets: [ChannelID]) -> VoiceLabel {
        var label: VoiceLabel = []
        guard generation != 0 else { return label }
        for (place, channel) in channels.prefix(WireLimits.channelsListenedMax).enumerated()
        where targets.contains(channel) {
            label.insert(.place(place))
        }
        return label
    }
}
