package import Primitives

/// The settings that this node's one encoder uses for all listeners. Frame length and rate may change between any two
/// frames: a decoder takes each frame as it is. A change between plain and coded sound starts a new talk spurt.
package struct EncoderSettings: Hashable, Sendable {
    package var frame: FrameDuration
    /// Rate of the codec.
    package var bitsPerSecond: Int
    /// Plain sound, without a codec.
    package var isPlain: Bool

    package init(frame: FrameDuration, bitsPerSecond: Int, isPlain: Bool = false) {
        precondition(Self.isPossible(frame, isPlain: isPlain), "a frame of \(frame.samples), plain: \(isPlain)")
        self.frame = frame
        self.bitsPerSecond = bitsPerSecond
        self.isPlain = isPlain
    }
}

extension EncoderSettings {
    /// Returns whether the encoder can make such frames. Coded frames are at least 2.5 ms long. Plain frames are at
    /// most 5 ms long, because a packet has no room for a copy of a longer one.
    package static func isPossible(_ frame: FrameDuration, isPlain: Bool) -> Bool {
        isPlain ? frame.samples <= PlainSound.frameSamplesMax : frame != .ms1_25
    }

    /// Rate of the sound to one listener, without copies and headers.
    package var bitsPerSecondSent: Int {
        isPlain ? 8 * PlainSound.byteCount(of: SampleTime.rateHertz) : bitsPerSecond
    }
}

/// The settings of the encoder that were chosen for all listeners together, and the reasons, which `status` shows.
package struct EncoderChoice: Hashable, Sendable {
    /// The reason for the length of frames.
    package enum FrameCause: Hashable, Sendable {
        case asWished
        /// Shorter frames against single losses; the value is the loss to the listener that gains most.
        case losses(permille: Int)
        /// Longer frames, because there are this many listeners.
        case listeners(Int)
        /// The longest frames, because the machine runs on its battery.
        case battery
        /// 1.25 ms, shorter than any coded frame.
        case plain
    }

    /// The reason for the rate of the codec.
    package enum RateCause: Hashable, Sendable {
        case asWished
        /// The upload limit has lowered the rate. The value is the upload to all listeners at the wished rate, with
        /// copies and headers.
        case upload(kilobitsPerSecond: Int)
    }

    /// The reason why the sound is coded although plain sound was wished.
    package enum CodedCause: Hashable, Sendable {
        case nobodyListens
        /// At least one peer to which a talk key speaks, pressed or not, has not reported that it takes plain sound.
        case refused
        /// At least one listener is reached through a neighbour, or by the carrier alone.
        case indirect
        /// The loss to the worst listener is too high.
        case losses(permille: Int)
        /// Plain sound to all listeners would exceed the upload limit.
        case upload
        /// The frames are longer than the longest plain frame.
        case longFrames
        /// Plain sound began and ended again and again, and is tried again within half a minute.
        case unsteady
    }

    package var settings: EncoderSettings
    /// Nil if plain sound was not wished, or is used.
    package var codedCause: CodedCause?
    package var frameCause: FrameCause
    package var rateCause: RateCause

    package init(
        settings: EncoderSettings, frameCause: FrameCause, rateCause: RateCause, codedCause: CodedCause? = nil
    ) {
        self.settings = settings
        self.codedCause = codedCause
        self.frameCause = frameCause
        self.rateCause = rateCause
    }
}

extension EncoderChoice: CustomStringConvertible {
    /// Text for `status`, for example `frames of 20 ms: on battery`.
    package var description: String {
        let reasons = [codingText, frameText, rateText].filter { !$0.isEmpty }
        return reasons.isEmpty ? "as asked" : reasons.joined(separator: "; ")
    }

    private var codingText: String {
        if settings.isPlain { return "plain: every listener takes it" }
        switch codedCause {
        case nil, .nobodyListens: return ""
        case .refused: return "Opus: not every listener takes plain sound"
        case .indirect: return "Opus: not every listener is reached directly"
        case .losses(let permille): return "Opus: \(ListenerChoice.prepared(for: permille))"
        case .upload: return "Opus: plain sound for all would take too much"
        case .longFrames: return "Opus: frames are too long for plain sound"
        case .unsteady: return "Opus: plain sound began and ended too often"
        }
    }

    private var frameText: String {
        let length = settings.frame.millisecondsText
        switch frameCause {
        case .asWished: return ""
        case .losses(let permille):
            let loss = ListenerChoice.prepared(for: permille)
            return "frames of \(length) ms: \(loss), and short ones bring copies sooner"
        case .listeners(let count): return "frames of \(length) ms: \(count) listeners"
        case .battery: return "frames of \(length) ms: on battery"
        case .plain: return "frames of \(length) ms: no codec asks for longer ones"
        }
    }

    private var rateText: String {
        switch rateCause {
        case .asWished: return ""
        case .upload(let kilobits):
            let (megabits, tenths) = (kilobits / 1_000, kilobits % 1_000 / 100)
            let rate = settings.bitsPerSecond / 1_000
            return "\(rate) kb/s: all listeners together would take \(megabits).\(tenths) Mb/s"
        }
    }
}

extension FrameDuration {
    /// The length in milliseconds, as a text: `1.25`, `2.5`, `5`, `10` or `20`.
    package var millisecondsText: String {
        switch self {
        case .ms1_25: "1.25"
        case .ms2_5: "2.5"
        case .ms5, .ms10, .ms20: "\(samples / 48)"
        }
    }
}
