package import Primitives

/// Limits of the talking side. Samples are at 48 kHz; powers are mean squares, where full scale is 1.
package enum TalkLimits {
    /// The greatest number of talk keys of a node. A voice frame holds one bit for each key (`KeySet`).
    package static let keysMax = 8

    /// Pre-roll: sound from before the voice was detected, which is sent with the voice. 20 ms.
    package static let preRollSamples = 960
    /// Length of the segments of sound that detectors judge: 2.5 ms.
    package static let segmentSamples = 120
    /// Loud segments in a row that open a voice-operated key: 10 ms, half the pre-roll. A click is shorter.
    package static let voxAttackSegments = 4
    /// Time for which a voice-operated key stays down after the last loud segment.
    package static let voxHang = Interval.milliseconds(400)
    /// Values that a user may choose for `voxHang`.
    package static let voxHangMilliseconds: ClosedRange<Int64> = 50...5_000
    /// Sound below this level starts no speech, even in a quiet room. In dBFS.
    package static let voxLevelDecibels = -50.0
    /// Values that a user may choose for `voxLevelDecibels`, in dBFS.
    package static let voxLevelRange = -80.0 ... -10.0
    /// A talk key held longer than this counts as stuck and is released.
    package static let keyLimit = Interval.seconds(120)
    /// Largest limit that a user may choose for a held key: a day.
    package static let keyLimitSecondsMax = 86_400.0
    /// A press of a smart key for at most this time is a tap.
    package static let tapMax = Interval.milliseconds(400)
    /// Two orders to press or to hold a silenced key: if the second one comes within this time, it is a repeat of the
    /// first. Longer than the pause before the first repeat of a keyboard, which is 700 ms at most.
    package static let repeatMax = Interval.seconds(1)
    /// Half-duplex: time for which the others must be silent before the key opens. 200 ms.
    package static let floorHangSamples = 9_600
    /// Half-duplex: time for which a key must be down before it opens while others are heard without a pause. 5 s.
    package static let floorWaitSamples = 240_000
    /// Half-duplex: others count as heard if a peak of a talker in the mix exceeds this value, -50 dBFS. The peaks of
    /// quiet speech are well above it, the noise of a quiet room is below.
    package static let heardPeak: Float = 0.003_16
    /// Private talk counts as heard if the power of its block exceeds this value: -50 dBFS, as `voxLevelDecibels`.
    package static let heardPower: Float = 1e-5
    /// Values that a user may choose for the level of the side tone, in dB.
    package static let sideToneRange = -40.0...0.0
}
