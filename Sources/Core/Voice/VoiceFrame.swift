package import Primitives

/// What travels beside a coded frame from the capture thread to the node loop.
package struct VoiceFrame: Hashable, Sendable {
    /// First sample of the frame.
    package var sampleTime: SampleTime
    package var duration: FrameDuration
    /// Counts talk spurts, wrapping.
    package var spurt: UInt8
    package var flags: VoiceFrameFlags
    package var byteCount: Int

    package init(
        sampleTime: SampleTime, duration: FrameDuration, spurt: UInt8, flags: VoiceFrameFlags, byteCount: Int
    ) {
        self.sampleTime = sampleTime
        self.duration = duration
        self.spurt = spurt
        self.flags = flags
        self.byteCount = byteCount
    }
}

package struct VoiceFrameFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let spurtStart = VoiceFrameFlags(rawValue: 1)
    package static let spurtEnd = VoiceFrameFlags(rawValue: 2)
    /// Pre-roll, sent faster than real time.
    package static let preRoll = VoiceFrameFlags(rawValue: 4)
    /// The last frame of a spurt once more: nothing new is in it.
    package static let again = VoiceFrameFlags(rawValue: 8)
    /// Its bytes are `PlainSound`, no Opus.
    package static let plain = VoiceFrameFlags(rawValue: 16)
}
