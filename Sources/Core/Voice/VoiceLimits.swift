import Primitives

/// Bounds of the voice path. Samples are at 48 kHz.
package enum VoiceLimits {
    /// Talkers that one receiver holds.
    package static let talkersMax = MeshScale.peersMax
    /// Samples in one call to the sender or the receiver: 100 ms.
    package static let blockSamplesMax = 4_800
    package static let frameSamplesMax = 960
    /// The grid of sample times and the smallest frame: 2.5 ms.
    package static let gridSamples = 120
    /// A coded frame; 20 ms at 200 kb/s.
    package static let frameBytesMax = 512

    /// Places of a jitter buffer, one for each 2.5 ms: 320 ms around the play-out position.
    package static let jitterPlaces = 128
    package static let delayBuckets = 400
    /// 0.5 ms.
    package static let delayBucketSamples = 24
    /// How long a smallest transit time counts.
    package static let transitWindowSamples: Int64 = 4 * 48_000

    /// Concealed sound in one gap; silence after it.
    package static let concealSamplesMax = 4_800
    /// Silence in the middle of a talk spurt, after which the talker is held to have ended: 0.5 s.
    package static let starvedSamplesMax = 24_000

    /// Frames that a packetizer can still repeat.
    package static let frameHistory = 32
    /// Copies of earlier packets in one packet; the new frames take the rest of
    /// `WireLimits.voiceBlocksMax`.
    package static let copiesMax = 3
    /// Packets that a copy may lie back.
    package static let copyDistanceMax = 8
    /// Times that the last frame of a talk spurt is sent.
    package static let spurtEndRepeats = 3
}
