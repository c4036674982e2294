/// To whom a frame of voice is said, as its listener reads it (docs/WIRE.md, "Voice payload").
///
/// Bits 0 to 13 are places in the *listener's* list of channels, bit 14 is private talk to this listener, and bit 15
/// is talk to all.
package struct VoiceLabel: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let privately = VoiceLabel(rawValue: 1 << 14)
    package static let toAll = VoiceLabel(rawValue: 1 << 15)
    /// All places of a list.
    package static let places = VoiceLabel(rawValue: 1 << UInt16(WireLimits.channelsListenedMax) - 1)

    /// The channel at this place of the listener's list.
    /// - Precondition: `place` is below `WireLimits.channelsListenedMax`.
    package static func place(_ place: Int) -> VoiceLabel {
        precondition(0 <= place && place < WireLimits.channelsListenedMax, "place \(place) of a list")
        return VoiceLabel(rawValue: 1 << UInt16(place))
    }

    /// Whether the label names a channel, so that a generation of the listener's list belongs to it.
    package var hasPlace: Bool { rawValue & VoiceLabel.places.rawValue != 0 }
}

/// A label and the generation of the listener's list by which its places are read.
package struct VoiceAddress: Hashable, Sendable, BitwiseCopyable {
    package var label: VoiceLabel
    /// 1 … 255, or 0 if the label names no channel.
    package var generation: UInt8

    package init(label: VoiceLabel, generation: UInt8) {
        self.label = label
        self.generation = generation
    }

    /// The frame is not for this listener.
    package static let nobody = VoiceAddress(label: [], generation: 0)
}

/// The label of the older blocks of a packet, where it is not that of the newest block.
package struct FormerLabel: Hashable, Sendable, BitwiseCopyable {
    package var label: VoiceLabel
    /// Blocks of this age, in units of 1.25 ms, and older ones have the label. At least 1.
    package var age: UInt8

    package init(label: VoiceLabel, age: UInt8) {
        self.label = label
        self.age = age
    }
}
