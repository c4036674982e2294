package import Primitives

/// The header of a voice payload, before its blocks (docs/WIRE.md, "Voice payload").
///
/// ```
///  byte 0      1            2         4       5 … 8        then 9 … 11: former label u16, its age u8, only with a flag
/// ┌───────┬────────────┬─────────┬───────┬─────────────┬─────┬──────────────────────┬──────┐
/// │ flags │ generation │  label  │ spurt │ sample time │ age │ 0 ‖ h ‖ p ‖ cl ‖ len │ sound│ … 1 … 5 blocks,
/// └───────┴────────────┴─────────┴───────┴─────────────┴─────┴──────────────────────┴──────┘   the first of age 0
///   u8      u8           u16       u8      u32           u8    u16: 1+1+1+2+11 bits   length bytes
/// ```
/// Numbers are big-endian. A block of age `a` starts `a` × 1.25 ms before the sample time. The class of its duration
/// is `h` ‖ `cl`; `p` marks plain sound.
package struct VoicePayloadHeader: Hashable, Sendable {
    package var flags: VoicePayloadFlags
    /// To whom the newest block is said. The generation is also that of `former`.
    package var address: VoiceAddress
    /// The label of the older blocks, if it is another one.
    package var former: FormerLabel?
    /// Counts the talk spurts for this listener, wrapping.
    package var spurt: UInt8
    /// First sample of the block of age 0.
    package var sampleTime: SampleTime
    /// How many new frames a packet to this listener has; its other frames are copies.
    package var bundling: VoiceBundling

    package init(
        flags: VoicePayloadFlags, address: VoiceAddress, former: FormerLabel? = nil, spurt: UInt8,
        sampleTime: SampleTime, bundling: VoiceBundling
    ) {
        self.flags = flags
        self.address = address
        self.former = former
        self.spurt = spurt
        self.sampleTime = sampleTime
        self.bundling = bundling
    }

    /// Bytes before the first block.
    package var byteCount: Int { former == nil ? Self.byteCountMin : Self.byteCountMax }
    package static let byteCountMin = 9
    package static let byteCountMax = 12
    /// Bytes of a block before its sound.
    package static let blockHeaderByteCount = 3

    /// Whether a receiver accepts the labels: each says for whom it is, the two differ, the former one belongs to older
    /// blocks only, and there is a generation exactly if a label names a channel.
    var hasValidLabels: Bool {
        let hasPlace = address.label.hasPlace || former?.label.hasPlace == true
        guard !address.label.isEmpty, hasPlace == (address.generation != 0) else { return false }
        guard let former else { return true }
        return former.age != 0 && !former.label.isEmpty && former.label != address.label
    }
}

/// Flags of a voice payload. Bits 3 and 4 of their byte hold the `VoiceBundling`. Bit 5 says that there is a former
/// label.
package struct VoicePayloadFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The oldest new block begins a talk spurt.
    package static let spurtStart = VoicePayloadFlags(rawValue: 1)
    /// The block of age 0 is the last of its talk spurt; such a payload is sent three times.
    package static let spurtEnd = VoicePayloadFlags(rawValue: 2)
    /// The blocks are pre-roll, sent faster than real time.
    package static let preRoll = VoicePayloadFlags(rawValue: 4)

    static let known: VoicePayloadFlags = [.spurtStart, .spurtEnd, .preRoll]
}

/// How many new frames share a packet; more frames in each packet save airtime on Wi-Fi.
package enum VoiceBundling: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case single = 0
    case pair = 1
    case four = 2

    package var frameCount: Int { 1 << Int(rawValue) }
}

/// One frame inside a payload; `sound` points into the payload's bytes.
package struct VoiceBlock {
    /// How long before the payload's sample time the frame begins, in units of 1.25 ms.
    package var age: UInt8
    package var duration: FrameDuration
    package var sound: UnsafeRawBufferPointer
    /// Whether `sound` holds plain sound and not Opus: 16-bit samples, little-endian, as many as `duration` has.
    package var isPlain: Bool

    package init(age: UInt8, duration: FrameDuration, sound: UnsafeRawBufferPointer, isPlain: Bool = false) {
        self.age = age
        self.duration = duration
        self.sound = sound
        self.isPlain = isPlain
    }
}
