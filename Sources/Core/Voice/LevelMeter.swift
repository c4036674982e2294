/// Level of recent sound: RMS over about 100 ms.
package struct LevelMeter: Sendable, BitwiseCopyable {
    /// Level of silence, in dBFS.
    package static let floorDecibels: Float = -100

    private var meanSquare: Float = 0

    package init() {}

    /// Adds a block of samples.
    package mutating func measure(_ samples: UnsafeBufferPointer<Float>) {
        guard 0 < samples.count, let base = samples.baseAddress else { return }
        measure(power: Samples.power(base, count: samples.count), count: samples.count)
    }

    /// Adds a block of `count` samples, at least one, whose mean square is `power`.
    package mutating func measure(power: Float, count: Int) {
        meanSquare += (power - meanSquare) * min(1, Float(count) / Self.windowSamples)
    }

    /// RMS in dBFS.
    package var decibels: Float { Decibels.ofPower(meanSquare, floor: Self.floorDecibels) }

    /// 100 ms.
    private static let windowSamples: Float = 4_800
}

/// Conversion of powers to decibels.
package enum Decibels {
    /// Returns 10 · log10 of `power`, a mean square, but at least `floor`. The error is below 0.05 dB. A power that is
    /// not finite, or at most 1e-10, gives `floor`.
    package static func ofPower(_ power: Float, floor: Float) -> Float {
        guard power.isFinite, 1e-10 < power else { return floor }
        return max(floor, decibelsPerOctaveOfPower * log2(power))
    }

    /// Returns the binary logarithm of a positive normal number: its exponent, plus a cubic approximation of log2 of
    /// its significand (1 … 2).
    private static func log2(_ x: Float) -> Float {
        let m = x.significand - 1
        return Float(x.exponent) + m * (1.4249 + m * (-0.5876 + m * 0.1627))
    }

    private static let decibelsPerOctaveOfPower: Float = 3.0103
}
