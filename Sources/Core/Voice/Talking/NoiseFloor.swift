/// Estimates the power of the room's noise, also while somebody speaks.
///
/// A minimum tracker: the estimate falls at once with the power of the sound (smoothed over 20 ms), and rises by at
/// most 3 dB a second. So speech between two pauses hardly raises it, and the noise of a fan is learned some seconds
/// after somebody switches it on. In the first second the estimate may rise by 35 dB.
package struct NoiseFloor: BitwiseCopyable {
    /// Mean square of the noise.
    package private(set) var power: Float = Self.startPower
    private var smoothed: Float = Self.startPower
    /// Segments left of the first second.
    private var startLeft = 400

    package init() {}

    /// Adds the mean square of one segment of `TalkLimits.segmentSamples`.
    @_noAllocation @_noLocks
    package mutating func add(_ segmentPower: Float) {
        smoothed += (min(1, segmentPower) - smoothed) * 0.125
        let rise = 0 < startLeft ? Self.startRise : Self.rise
        startLeft = max(0, startLeft - 1)
        power = max(Self.powerMin, min(smoothed, power * rise))
    }

    /// -70 dBFS.
    private static let startPower: Float = 1e-7
    /// -90 dBFS, since digital silence says nothing about the room.
    private static let powerMin: Float = 1e-9
    /// 3 dB a second, a segment at a time: 10^(0.3 / 400).
    private static let rise: Float = 1.001_73
    /// 35 dB a second.
    private static let startRise: Float = 1.020_35
}
