package import Primitives

/// Bounds of the talking side. Samples are at 48 kHz, powers are mean squares of full scale.
package enum TalkLimits {
    /// What was said before the voice was noticed, and is sent with it: 20 ms.
    package static let preRollSamples = 960
    /// Sound is judged in pieces of this length: 2.5 ms.
    package static let segmentSamples = 120
    /// How long it must be loud to be a voice and no click: 10 ms, half the pre-roll.
    package static let voxAttackSegments = 4
    /// How long a voice-operated key stays down after the last loud segment.
    package static let voxHang = Interval.milliseconds(400)
    /// What a person may set it to.
    package static let voxHangMilliseconds: ClosedRange<Int64> = 50...5_000
    /// Below this level nothing is taken for a voice, however quiet the room, in dBFS.
    package static let voxLevelDecibels = -50.0
    package static let voxLevelRange = -80.0 ... -10.0
    /// A talk key held longer than this is let go for its owner.
    package static let keyLimit = Interval.seconds(120)
    package static let keyLimitSecondsMax = 86_400.0
    /// A smart key pressed shorter than this was tapped.
    package static let tapMax = Interval.milliseconds(400)
    /// Half-duplex: how long the others must be silent before the key opens: 200 ms.
    package static let floorHangSamples = 9_600
    /// Half-duplex: below -60 dBFS of peak nobody is heard.
    package static let heardPeak: Float = 0.001
    /// Own voice in the own output, in dB.
    package static let sideToneRange = -40.0...0.0
}
