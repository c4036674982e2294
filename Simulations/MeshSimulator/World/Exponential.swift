package import Primitives

/// Exponentially distributed intervals, computed with integers only, so that every machine draws the same ones.
///
/// −ln U = ln 2 · −log₂ U. A count of leading zeros gives the integer part of log₂. A table of 65 points, with a
/// straight line between two points, gives log₂ of the mantissa (error below 0.01 %).
package enum Exponential {
    /// Greatest interval, as a multiple of the mean. A longer draw is cut to it, so that every delay is bounded.
    package static let meansMax: Int64 = 10

    package static func interval(mean: Interval, using random: inout SeededRandom) -> Interval {
        guard .zero < mean else { return .zero }
        let draw = random.next() | 1
        let zeros = UInt64(draw.leadingZeroBitCount)
        let mantissa = draw << zeros
        let index = Int(mantissa >> 57 & 63)
        let fraction = mantissa >> 41 & 0xFFFF
        let below = table[index]
        let rise = table[index + 1] - below
        // −log₂ U in 1/65,536: zeros + 1 − log₂(1 + mantissa's fraction).
        let logarithm = (zeros + 1) << 16 - (below + (rise * fraction) >> 16)
        let scaled = UInt64(mean.nanoseconds).multipliedFullWidth(by: logarithm * 45_426)
        let nanoseconds = scaled.high << 32 | scaled.low >> 32
        return min(Interval(nanoseconds: Int64(nanoseconds)), mean * meansMax)
    }

    /// log₂(1 + i/64) in 1/65,536, by repeated squaring.
    private static let table: [UInt64] = (0...64).map { step in
        guard step < 64 else { return 65_536 }
        var x = (64 + UInt64(step)) << 25
        var result: UInt64 = 0
        for bit in stride(from: 15, through: 0, by: -1) {
            x = x.multipliedFullWidth(by: x).high << 33 | x.multipliedFullWidth(by: x).low >> 31
            if 1 << 32 <= x {
                result |= 1 << UInt64(bit)
                x >>= 1
            }
        }
        return result
    }
}
