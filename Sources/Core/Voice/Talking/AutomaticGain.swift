/// Brings a voice towards -23 dBFS, gently: 3 dB a second, only while somebody speaks, between -6
/// and +15 dB; down at once where a peak would come near full scale. Pauses leave it as it is, so a
/// room does not swell up between two sentences.
package struct AutomaticGain: BitwiseCopyable {
    /// What samples are multiplied by now.
    package private(set) var gain: Float = 1
    private var speechPower: Float = Self.targetPower

    package init() {}

    /// Brings the voice towards its level, in place; learns only from what is speech.
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
    /// Within half a decibel nothing moves.
    private static let near: Float = 0.89
    /// 400 ms.
    private static let windowSamples: Float = 19_200
    /// 3 dB a second as a factor: ln(10^(3/20)) / 48,000.
    private static let stepPerSample: Float = 0.345 / 48_000
    private static let gainMin: Float = 0.5
    private static let gainMax: Float = 5.62
    /// -3 dBFS, and what the start of a block may stand above its end.
    private static let peakMax: Float = 0.708
    private static let peakSlack: Float = 1.2
}
