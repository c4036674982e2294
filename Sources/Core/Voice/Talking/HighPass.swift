/// Takes rumble away: a Butterworth filter of second order at 90 Hz, 12 dB an octave, no delay
/// where speech is.
///
/// Coefficients by the bilinear transform for 48 kHz; in double precision, since the poles lie so
/// close to 1.
package struct HighPass: BitwiseCopyable {
    private var first = 0.0
    private var second = 0.0

    package init() {}

    /// Takes the rumble away, in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count { samples[index] = pass(samples[index]) }
    }

    /// One sample through the filter (transposed direct form II).
    @_noAllocation @_noLocks
    mutating func pass(_ sample: Float) -> Float {
        let x = Double(sample) * Self.b0
        let y = x + first
        first = -2 * x - Self.a1 * y + second
        second = x - Self.a2 * y
        return Float(y)
    }

    private static let b0 = 0.991_704_195_577_231
    private static let a1 = -1.983_339_569_599_340
    private static let a2 = 0.983_477_212_709_585
}
