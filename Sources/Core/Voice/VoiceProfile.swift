package import Primitives

/// A named compromise between delay, number of packets, and processor time.
package enum VoiceProfile: String, CaseIterable, Codable, Sendable {
    /// For small wired groups that play music together.
    case studio
    /// The default, for conversation on a LAN.
    case low
    /// For many listeners.
    case normal
    /// For Wi-Fi and lossy networks.
    case robust
    /// For devices on battery.
    case powersave

    /// The wished length of frames.
    package var frame: FrameDuration {
        switch self {
        case .studio: .ms2_5
        case .low: .ms5
        case .normal, .robust: .ms10
        case .powersave: .ms20
        }
    }

    /// Shortest and longest frame that the encoder may use in this profile, in samples.
    package var frameSamples: ClosedRange<Int> {
        switch self {
        case .studio, .low: FrameDuration.ms2_5.samples...FrameDuration.ms20.samples
        case .normal, .robust: FrameDuration.ms10.samples...FrameDuration.ms20.samples
        case .powersave: FrameDuration.ms20.samples...FrameDuration.ms20.samples
        }
    }

    /// Whether the encoder runs in the speech mode of Opus, unless a user sets frames shorter than 10 ms. In this mode
    /// a gap is concealed better, and half the rate sounds equally well; but the delay is 4 ms longer.
    package var isSpeechCoded: Bool { self == .robust }

    /// Target rate of the codec.
    package var bitsPerSecond: Int {
        switch self {
        case .studio: 96_000
        case .low: 64_000
        case .normal: 48_000
        case .robust: 32_000
        case .powersave: 24_000
        }
    }

    /// Complexity of the encoder, 0 … 10, as Opus defines it.
    package var complexity: Int {
        switch self {
        case .studio, .low, .normal: 9
        case .robust: 7
        case .powersave: 2
        }
    }

    /// Wished period of the sound card, as long as a frame.
    package var periodMicroseconds: Int {
        switch self {
        case .studio: 2_500
        case .low: 5_000
        case .normal, .robust: 10_000
        case .powersave: 20_000
        }
    }

    /// Wished buffer of the sound card: two periods. `robust` has three, which bridge a stall of 20 ms.
    package var bufferMicroseconds: Int { (self == .robust ? 3 : 2) * periodMicroseconds }
}
