package import Primitives

/// A distribution of intervals in constant space. A bucket is at most 1/32 of its values wide, or 1 µs, so a quantile
/// is at most 3 % or 1 µs above the truth. Addition is commutative: the order in which runs end does not matter. The
/// scheme is that of HdrHistogram, in microseconds.
package struct DurationHistogram: Hashable, Sendable {
    private static let subBits = 5

    private var buckets: [UInt64] = []
    package private(set) var count: UInt64 = 0
    package private(set) var max = Interval.zero

    package init() {}

    package mutating func add(_ interval: Interval) {
        let index = Self.index(of: UInt64(Swift.max(0, interval.microseconds)))
        if buckets.count <= index { buckets += Array(repeating: 0, count: index + 1 - buckets.count) }
        buckets[index] += 1
        count += 1
        max = Swift.max(max, interval)
    }

    /// Returns the upper edge of the first bucket that `permille` of all intervals do not exceed; nil if there are
    /// none.
    package func quantile(permille: UInt64) -> Interval? {
        guard 0 < count else { return nil }
        let rank = Swift.max(1, (count * permille + 999) / 1_000)
        return points.first { rank <= $0.count }?.upTo
    }

    /// For each bucket that is not empty: its upper edge, and how many intervals do not exceed that edge.
    package var points: [(upTo: Interval, count: UInt64)] {
        var sum: UInt64 = 0
        return buckets.indices.compactMap { index in
            guard 0 < buckets[index] else { return nil }
            sum += buckets[index]
            return (min(Interval.microseconds(Int64(Self.upperEdge(of: index))), max), sum)
        }
    }

    private static func index(of microseconds: UInt64) -> Int {
        let bits = UInt64.bitWidth - microseconds.leadingZeroBitCount
        let shift = Swift.max(0, bits - subBits - 1)
        return shift << subBits + Int(microseconds >> UInt64(shift))
    }

    private static func upperEdge(of index: Int) -> UInt64 {
        let shift = Swift.max(0, index >> subBits - 1)
        return UInt64(index - shift << subBits + 1) << UInt64(shift) - 1
    }
}
