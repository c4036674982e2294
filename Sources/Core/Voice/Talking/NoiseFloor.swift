/// Estimates how loud the room is when nobody speaks, from sound in which somebody may.
///
/// The least of what was heard, which creeps up: falls at once with the sound, smoothed over 20 ms,
/// and rises by 3 dB a second, so that speech does not lift it between two pauses and a fan that is
/// switched on is learned within seconds. In its first second it rises by 35 dB.
package struct NoiseFloor: BitwiseCopyable {
    /// Mean square of the room.
    package private(set) var power: Float = Self.startPower
    private var smoothed: Float = Self.startPower
    private var startLeft = 400

    package init() {}

    /// Takes the mean square of one segment of `TalkLimits.segmentSamples`.
    @_noAllocation @_noLocks
    package mutating func note(_ segmentPower: Float) {
        smoothed += (min(1, segmentPower) - smoothed) * 0.125
        let rise = 0 < startLeft ? Self.startRise : Self.rise
        startLeft = max(0, startLeft - 1)
        power = max(Self.powerMin, min(smoothed, power * rise))
    }

    /// -70 dBFS.
    private static let startPower: Float = 1e-7
    /// -90 dBFS: digital silence is no room.
    private static let powerMin: Float = 1e-9
    /// 3 dB a second, a segment at a time: 10^(0.3 / 400).
    private static let rise: Float = 1.001_73
    /// 35 dB a second.
    private static let startRise: Float = 1.020_35
}
