/// Removes rumble: a Butterworth high-pass of second order at 90 Hz, which falls by 12 dB an octave and hardly delays
/// the frequencies of speech.
///
/// The coefficients come from the bilinear transform for 48 kHz. The state is in double precision, since the poles lie
/// close to 1.
package struct HighPass: BitwiseCopyable {
    private var first = 0.0
    private var second = 0.0

    package init() {}

    /// Filters `count` samples in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count { samples[index] = pass(samples[index]) }
    }

    /// Filters one sample (transposed direct form II).
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
