/// Automatic gain control: brings the voice towards -23 dBFS.
///
/// The gain lies between -6 and +15 dB. It changes by 3 dB a second, and only while somebody speaks, so the noise of
/// the room does not become louder in a pause. If a peak would exceed -3 dBFS, the gain falls at once.
package struct AutomaticGain: BitwiseCopyable {
    /// Factor for the samples now.
    package private(set) var gain: Float = 1
    private var speechPower: Float = Self.targetPower

    package init() {}

    /// Applies the gain to `count` samples in place. The loudness of the voice is learned only if `isSpeech`.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int, isSpeech: Bool) {
        guard 0 < count else { return }
        var sum: Float = 0
        var peak: Float = 0
        for index in 0..<count {
            sum += samples[index] * samples[index]
            peak = max(peak, abs(samples[index]))
        }
        let start = gain
        if isSpeech { follow(sum / Float(count), share: Float(count)) }
        gain = min(gain, Self.peakMax / max(peak, Self.peakMax / Self.gainMax))
        Ramp.apply(to: samples, count: count, from: min(start, gain * Self.peakSlack), to: gain)
    }

    private mutating func follow(_ power: Float, share: Float) {
        speechPower += (power - speechPower) * min(1, share / Self.windowSamples)
        let step = 1 + Self.stepPerSample * share
        let reached = speechPower * gain * gain
        if reached < Self.targetPower * Self.near {
            gain = min(gain * step, Self.gainMax)
        } else if Self.targetPower < reached * Self.near {
            gain = max(gain / step, Self.gainMin)
        }
    }

    /// -23 dBFS.
    private static let targetPower: Float = 0.005
    /// The gain stays as it is while the voice is within 0.5 dB of the target.
    private static let near: Float = 0.89
    /// 400 ms.
    private static let windowSamples: Float = 19_200
    /// 3 dB a second as a factor: ln(10^(3/20)) / 48,000.
    private static let stepPerSample: Float = 0.345 / 48_000
    private static let gainMin: Float = 0.5
    private static let gainMax: Float = 5.62
    /// -3 dBFS.
    private static let peakMax: Float = 0.708
    /// Largest ratio of the gain at the start of a block to the gain at its end: 1.6 dB.
    private static let peakSlack: Float = 1.2
}
