/// The only random generator in Core: xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
/// generators", 2021), seeded by SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
///
/// The same seed gives the same sequence on every machine. It must not be used for keys: secret random bytes come from
/// the `Sealing` provider.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var s0: UInt64
    private var s1: UInt64
    private var s2: UInt64
    private var s3: UInt64

    public init(seed: UInt64) {
        var state = seed
        func splitMix() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        (s0, s1, s2, s3) = (splitMix(), splitMix(), splitMix(), splitMix())
    }

    public mutating func next() -> UInt64 {
        func rotated(_ x: UInt64, _ k: UInt64) -> UInt64 { (x << k) | (x >> (64 - k)) }
        let result = rotated(s1 &* 5, 7) &* 9
        let t = s1 << 17
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = rotated(s3, 45)
        return result
    }

    /// Returns an integer in `0..<bound`; `bound` must be positive. It is the high word of a product, as in Lemire,
    /// "Fast random integer generation in an interval", 2019, but without its rejection step: the bias is below
    /// `bound` / 2^64.
    public mutating func below(_ bound: UInt64) -> UInt64 {
        precondition(bound > 0, "an empty range has no element")
        return next().multipliedFullWidth(by: bound).high
    }

    /// Returns an interval drawn uniformly from the closed range.
    public mutating func interval(in range: ClosedRange<Interval>) -> Interval {
        let width = UInt64(range.upperBound.nanoseconds - range.lowerBound.nanoseconds)
        return range.lowerBound + Interval(nanoseconds: Int64(below(width + 1)))
    }

    /// Returns true with a probability of `permille` / 1,000.
    public mutating func chance(permille: UInt64) -> Bool { below(1_000) < permille }

    /// Returns a new generator for a part of the program. The draws of that part then do not change this sequence.
    public mutating func split() -> SeededRandom { SeededRandom(seed: next()) }
}
