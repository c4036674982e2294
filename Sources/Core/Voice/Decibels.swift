/// Levels on the scale that people read.
package enum Decibels {
    /// 10 · log10 of a mean square, not below `floor`; within 0.05 dB.
    package static func ofPower(_ power: Float, floor: Float) -> Float {
        guard power.isFinite, 1e-10 < power else { return floor }
        return max(floor, decibelsPerOctaveOfPower * log2(power))
    }

    /// Binary logarithm of a positive normal number: the exponent, and a cubic through
    /// log2(1) … log2(2) for the significand.
    private static func log2(_ x: Float) -> Float {
        let m = x.significand - 1
        return Float(x.exponent) + m * (1.4249 + m * (-0.5876 + m * 0.1627))
    }

    private static let decibelsPerOctaveOfPower: Float = 3.0103
}
