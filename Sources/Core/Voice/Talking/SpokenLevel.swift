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

    /// Level of the speech in dBFS; nil if there was less than 0.3 s of sound.
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

    /// One sample at full scale may be the true peak of a wave. A wave that was cut off stays there.
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
