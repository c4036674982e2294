package import Primitives

/// A named compromise between delay, packets and processor time.
package enum VoiceProfile: String, CaseIterable, Codable, Sendable {
    /// Small wired groups that make music.
    case studio
    /// The default: conversation on a LAN.
    case low
    /// Many listeners.
    case normal
    /// Wi-Fi and lossy links.
    case robust
    /// Batteries.
    case powersave

    package var frame: FrameDuration {
        switch self {
        case .studio: .ms2_5
        case .low: .ms5
        case .normal, .robust: .ms10
        case .powersave: .ms20
        }
    }

    /// Samples of the shortest and longest frame that fit what the profile is for.
    package var frameSamples: ClosedRange<Int> {
        switch self {
        case .studio, .low: FrameDuration.ms2_5.samples...FrameDuration.ms20.samples
        case .normal, .robust: FrameDuration.ms10.samples...FrameDuration.ms20.samples
        case .powersave: FrameDuration.ms20.samples...FrameDuration.ms20.samples
        }
    }

    /// Whether the encoder takes everything for speech: it then conceals better, at half the rate
    /// sounds as well, and is 4 ms later. Frames of 10 ms and more only.
    package var isSpeechCoded: Bool { self == .robust }

    package var bitsPerSecond: Int {
        switch self {
        case .studio: 96_000
        case .low: 64_000
        case .normal: 48_000
        case .robust: 32_000
        case .powersave: 24_000
        }
    }

    /// Opus' own scale, 0 … 10.
    package var complexity: Int {
        switch self {
        case .studio, .low, .normal: 9
        case .robust: 7
        case .powersave: 2
        }
    }

    /// Sound card period that suits the frame, in microseconds.
    package var periodMicroseconds: Int {
        switch self {
        case .studio: 2_500
        case .low: 5_000
        case .normal, .robust: 10_000
        case .powersave: 20_000
        }
    }

    /// Sound card buffer that suits the period, in microseconds; `robust` outlives a stall of 20 ms.
    package var bufferMicroseconds: Int { (self == .robust ? 3 : 2) * periodMicroseconds }
}
