import Foundation

/// Measures the tones in a recording. It stands here because this module is compiled with optimisation, which most
/// tests are not: a recording has a hundred thousand samples.
package struct HeardSound {
    /// The Hann window of 50 ms; its mean is a half.
    private static let hann = (0..<2_400).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / 2_400) }

    private let samples: [Float]

    package init(_ samples: [Float]) { self.samples = samples }

    /// The last half second.
    package var end: HeardSound { HeardSound(Array(samples.suffix(24_000))) }

    /// The level of a tone in dBFS: the median of all spans of 50 ms in which the tone `whereLoud`, or else the tone
    /// itself, is within 1 dB of its loudest. So neither a hole nor a ramp counts.
    package func level(of hertz: Int, whereLoud other: Int? = nil) -> Double {
        let length = Self.hann.count
        let windows = stride(from: 0, to: samples.count - length, by: length / 4).map { samples[$0..<$0 + length] }
        let loudness = windows.map { level(of: other ?? hertz, in: $0) }
        guard let loudest = loudness.max() else { return -200 }
        let levels = zip(windows, loudness).filter { loudest - 1 < $0.1 }.map { level(of: hertz, in: $0.0) }
        return levels.sorted()[levels.count / 2]
    }

    /// The longest silence between the first and the last sound, in samples: nothing there is louder than -60 dBFS. The
    /// 20 ms at both ends are left out: a tone that fades in or out is that faint around each of its zeros.
    package var longestGap: Int {
        let isLoud = samples.map { 0.001 < abs($0) }
        guard let first = isLoud.firstIndex(of: true), let last = isLoud.lastIndex(of: true) else { return 0 }
        let spoken = isLoud[first...last].dropFirst(960).dropLast(960)
        return spoken.split(separator: true).map(\.count).max() ?? 0
    }

    /// The level of the loudest frequency within 1 % of `hertz`: two clocks that are brought together shift a tone.
    private func level(of hertz: Int, in window: ArraySlice<Float>) -> Double {
        let shift = hertz / 100
        return (hertz - shift...hertz + shift).map { level(ofExactly: $0, in: window) }.max() ?? -200
    }

    /// Goertzel's algorithm, under a Hann window, so that other tones do not leak: the power of one frequency.
    private func level(ofExactly hertz: Int, in window: ArraySlice<Float>) -> Double {
        let coefficient = 2 * cos(2 * Double.pi * Double(hertz) / 48_000)
        var (last, before) = (0.0, 0.0)
        for (sample, weight) in zip(window, Self.hann) {
            (last, before) = (Double(sample) * weight + coefficient * last - before, last)
        }
        let power = last * last + before * before - coefficient * last * before
        return 20 * log10(4 * max(0, power).squareRoot() / Double(window.count) + 1e-10)
    }
}
