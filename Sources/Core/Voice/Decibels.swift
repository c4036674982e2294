/// Conversion of powers to decibels.
package enum Decibels {
    /// Returns 10 · log10 of `power`, a mean square, but at least `floor`. The error is below 0.05 dB.
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
