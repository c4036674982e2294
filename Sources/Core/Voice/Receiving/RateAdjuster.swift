/// Gains or loses one sample in 512 without a seam: how a line follows another clock.
///
/// For 512 output samples the input is read 1/512 faster or slower (±0.2 %, 3.4 cents, 2 ms a
/// second), between samples by a cubic through four of them (Catmull-Rom). Afterwards the phase is
/// 0 again, and samples pass untouched, 2 samples (0.04 ms) later than they went in.
package struct RateAdjuster: BitwiseCopyable {
    package enum Direction: Int, BitwiseCopyable { case slower = -1, faster = 1 }

    /// Samples before the first input sample that a reading needs.
    package static let history = 3
    private static let length = 512

    private var direction: Direction?
    private var done = 0

    package init() {}

    package var isRunning: Bool { direction != nil }

    /// Starts a slip, unless one is under way.
    package mutating func start(_ direction: Direction) {
        guard self.direction == nil else { return }
        (self.direction, done) = (direction, 0)
    }

    mutating func stop() { (direction, done) = (nil, 0) }

    /// Input samples that `count` outputs use up, and one more that they may look at.
    @_noAllocation @_noLocks
    package func inputCount(for count: Int) -> Int {
        guard let direction else { return count }
        let steps = min(count, Self.length - done)
        return count + offset(direction, done + steps) - offset(direction, done)
    }

    /// Fills `output` from `input`, whose `history` samples before the pointer are valid too;
    /// returns the input samples used up.
    @_noAllocation @_noLocks
    package mutating func run(
        _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, count: Int
    ) -> Int {
        guard let direction else {
            Samples.copy(input - 2, to: output, count: count)
            return count
        }
        let steps = min(count, Self.length - done)
        let base = offset(direction, done)
        for index in 0..<steps {
            let (whole, share) = place(direction, done + index)
            output[index] = Self.between(input + index + whole - base, share)
        }
        let used = steps + offset(direction, done + steps) - base
        done += steps
        guard done == Self.length else { return used }
        stop()
        Samples.copy(input + used - 2, to: output + steps, count: count - steps)
        return used + count - steps
    }

    /// How far reading has moved against writing after `steps` outputs, rounded down.
    private func offset(_ direction: Direction, _ steps: Int) -> Int { place(direction, steps).whole }

    private func place(_ direction: Direction, _ steps: Int) -> (whole: Int, share: Float) {
        let moved = steps * direction.rawValue
        let whole = moved >> 9
        return (whole, Float(moved - (whole << 9)) / Float(Self.length))
    }

    /// The value `share` of the way from the sample 2 before `here` to the one 1 before.
    private static func between(_ here: UnsafePointer<Float>, _ share: Float) -> Float {
        let (a, b, c, d) = (here[-3], here[-2], here[-1], here[0])
        let slope = 0.5 * (c - a)
        let second = a - 2.5 * b + 2 * c - 0.5 * d
        let third = 0.5 * (d - a) + 1.5 * (b - c)
        return b + share * (slope + share * (second + share * third))
    }
}
