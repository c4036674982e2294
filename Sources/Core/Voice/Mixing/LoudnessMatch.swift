/// Brings one talker slowly to a loudness that is common to all, measured on its speech alone.
///
/// Power is measured over windows of 100 ms. A window counts only if it is above -50 dBFS. A window more than 10 dB
/// below the talker's known loudness is a pause between words, and has a fifth of the weight or less. These are the
/// gates of ITU-R BS.1770, changed so that the gain follows a talker who stays quieter for good. The noise of a room
/// does not count: a window must also be 6 dB louder than the quietest one of the last 3 to 6 s. So after a pause of an
/// hour the gain is what it was before. A steady tone is noise too. The sound in a gap is not measured (`Mixer.add`):
/// its silence would make the noise, or the tone, count as speech for 3 to 6 s.
package struct LoudnessMatch: BitwiseCopyable {
    /// Factor for the talker's samples now.
    package private(set) var gain: Float = 1
    /// Value to which `gain` moves, at 3 dB/s.
    private var goal: Float = 1
    /// Mean square of the talker's speech; 0 before any.
    private var speechPower: Float = 0
    private var windowsHeard = 0
    private var windowPower: Float = 0
    private var windowCount = 0
    /// The smallest power of a window, in the present 3 s and in the 3 s before.
    private var quietest: (present: Float, before: Float) = (.infinity, .infinity)
    /// Windows of the present 3 s.
    private var quietestCount = 0

    package init() {}

    /// Level of the talker's speech in dBFS; nil before 0.3 s of sound that counts as speech.
    package var speechDecibels: Float? {
        guard Self.windowsMin <= windowsHeard else { return nil }
        return Decibels.ofPower(speechPower, floor: LevelMeter.floorDecibels)
    }

    /// A talker below this level, -35 dBFS, stays quieter than the others.
    package static var matchedDecibelsMin: Float {
        Decibels.ofPower(targetPower / (gainMax * gainMax), floor: LevelMeter.floorDecibels)
    }

    /// Notes a block of `count` samples with mean square `power`. Moves the gain towards `goal`, by at most 3 dB for
    /// each second of sound in the block.
    package mutating func measure(power: Float, count: Int) {
        windowPower += power * Float(count)
        windowCount += count
        if Self.windowSamples <= windowCount {
            add(windowPower / Float(windowCount))
            (windowPower, windowCount) = (0, 0)
        }
        let reach = gain * Self.slewPerSample * Float(count)
        gain = Ramp.step(gain, towards: goal, by: reach)
    }

    private mutating func add(_ power: Float) {
        let noise = noise(with: power)
        guard Self.gatePower < power, noise * Self.speechRatio <= power else { return }
        windowsHeard = min(windowsHeard + 1, Self.windowsMax)
        let isPause = power < speechPower * Self.pauseRatio
        let weight = 1 / Float(isPause ? 5 * Self.windowsMax : windowsHeard)
        speechPower += (power - speechPower) * weight
        guard Self.windowsMin <= windowsHeard else { return }
        goal = min(Self.gainMax, max(1 / Self.gainMax, (Self.targetPower / speechPower).squareRoot()))
    }

    /// Notes the power of a window; returns the smallest one of the last 3 to 6 s.
    private mutating func noise(with power: Float) -> Float {
        if quietestCount == Self.windowsMax {
            quietest = (present: .infinity, before: quietest.present)
            quietestCount = 0
        }
        quietestCount += 1
        quietest.present = min(quietest.present, power)
        return min(quietest.present, quietest.before)
    }

    /// -23 dBFS.
    private static let targetPower: Float = 5.01e-3
    /// -50 dBFS.
    private static let gatePower: Float = 1e-5
    /// 6 dB.
    private static let speechRatio: Float = 3.981
    /// -10 dB.
    private static let pauseRatio: Float = 0.1
    /// 12 dB.
    private static let gainMax: Float = 3.981
    /// 3 dB a second: ln(10) / 20 · 3 / 48,000.
    private static let slewPerSample: Float = 7.195e-6
    /// 100 ms.
    static let windowSamples = 4_800
    /// Windows of speech before the gain moves: 0.3 s.
    private static let windowsMin = 3
    /// The number of windows of 100 ms over which the talker's loudness is averaged: 3 s together. After as many
    /// windows a new search for the quietest window begins.
    private static let windowsMax = 30
}

/// The level of some spoken words, and whether others will hear them well.
package struct SpokenLevel: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        /// There was no speech.
        case silent
        /// Listeners cannot bring the voice to the loudness of the others.
        case tooQuiet
        case good
        /// The sound card cut off the peaks.
        case clipping
    }

    /// Level of the speech in dBFS; nil if less than 0.3 s of the sound counted as speech (`LoudnessMatch`).
    package let speechDecibels: Float?
    /// Level of the highest peak in dBFS.
    package let peakDecibels: Float
    private let isClipped: Bool

    /// Measures mono sound at 48 kHz as listeners do.
    package init(_ samples: UnsafeBufferPointer<Float>) {
        var match = LoudnessMatch()
        // Silence before the first word, since a short take may hold no pause.
        match.measure(power: 0, count: LoudnessMatch.windowSamples)
        for start in stride(from: 0, to: samples.count, by: Self.blockSamples) {
            let block = UnsafeBufferPointer(
                rebasing: samples[start..<min(start + Self.blockSamples, samples.count)])
            guard let base = block.baseAddress else { break }
            match.measure(power: Samples.power(base, count: block.count), count: block.count)
        }
        let peak = samples.baseAddress.map { Samples.peak($0, count: samples.count) } ?? 0
        speechDecibels = match.speechDecibels
        peakDecibels = Decibels.ofPower(peak * peak, floor: LevelMeter.floorDecibels)
        isClipped = Self.isClipped(samples)
    }

    package var verdict: Verdict {
        guard !isClipped else { return .clipping }
        guard let speechDecibels else { return .silent }
        return speechDecibels < LoudnessMatch.matchedDecibelsMin ? .tooQuiet : .good
    }

    /// Returns whether `clippedSamplesMin` samples in a row are at full scale: then a wave was cut off. A single sample
    /// at full scale may be the true peak of a wave.
    private static func isClipped(_ samples: UnsafeBufferPointer<Float>) -> Bool {
        var run = 0
        for sample in samples {
            run = fullScale <= abs(sample) ? run + 1 : 0
            if run == clippedSamplesMin { return true }
        }
        return false
    }

    /// 10 ms.
    private static let blockSamples = 480
    /// Samples of 16 bits reach 0.99997 at most, and -1.
    private static let fullScale: Float = 0.999
    private static let clippedSamplesMin = 3
}
