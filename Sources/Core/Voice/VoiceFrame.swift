package import Primitives

/// Description of a voice frame, which travels beside its bytes from the capture thread to the node loop.
package struct VoiceFrame: Hashable, Sendable {
    /// Sample time of the first sample.
    package var sampleTime: SampleTime
    package var duration: FrameDuration
    /// Number of the talk spurt; wraps.
    package var spurt: UInt8
    package var flags: VoiceFrameFlags
    /// The keys whose targets get the frame: in general those that were pressed when it began. A frame that fades in or
    /// out, and pre-roll, may have others.
    package var keys: KeySet
    package var byteCount: Int

    package init(
        sampleTime: SampleTime, duration: FrameDuration, spurt: UInt8, flags: VoiceFrameFlags, keys: KeySet = .first,
        byteCount: Int
    ) {
        self.sampleTime = sampleTime
        self.duration = duration
        self.spurt = spurt
        self.flags = flags
        self.keys = keys
        self.byteCount = byteCount
    }
}

/// Properties of a voice frame.
package struct VoiceFrameFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The first frame of a talk spurt.
    package static let spurtStart = VoiceFrameFlags(rawValue: 1)
    /// The last frame of a talk spurt.
    package static let spurtEnd = VoiceFrameFlags(rawValue: 2)
    /// Pre-roll, sent faster than real time.
    package static let preRoll = VoiceFrameFlags(rawValue: 4)
    /// A repeat of the last frame of a talk spurt.
    package static let again = VoiceFrameFlags(rawValue: 8)
    /// The bytes are `PlainSound`, not Opus.
    package static let plain = VoiceFrameFlags(rawValue: 16)
    /// Coded without prediction from earlier frames, so a decoder may begin with this frame.
    package static let independent = VoiceFrameFlags(rawValue: 32)
}
