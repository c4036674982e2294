/// Inserts or removes one sample in 512 without a seam, so that a playout buffer follows another clock.
///
/// For 512 output samples the input is read 1/512 faster or slower (±0.2 %, 3.4 cents, 2 ms a second). A cubic
/// through four samples (Catmull-Rom) gives the values between samples. After that the phase is 0 again, and samples
/// pass unchanged, 2 samples (0.04 ms) later than they went in.
package struct RateAdjuster: BitwiseCopyable {
    /// `slower` plays one sample more than the input has, `faster` one sample less.
    package enum Direction: Int, BitwiseCopyable { case slower = -1, faster = 1 }

    /// Samples before the first input sample that `run` reads.
    package static let history = 3
    /// Output samples for which one input sample is inserted or removed.
    private static let length = 512

    private var direction: Direction?
    private var done = 0

    package init() {}

    package var isRunning: Bool { direction != nil }

    /// Starts to insert or remove one sample; does nothing while this is already under way.
    package mutating func start(_ direction: Direction) {
        guard self.direction == nil else { return }
        (self.direction, done) = (direction, 0)
    }

    mutating func stop() { (direction, done) = (nil, 0) }

    /// Returns how many input samples `count` outputs use up. While `isRunning`, `run` may read one that stays unused.
    @_noAllocation @_noLocks
    package func inputCount(for count: Int) -> Int {
        guard let direction else { return count }
        let steps = min(count, Self.length - done)
        return count + offset(direction, done + steps) - offset(direction, done)
    }

    /// Fills `output` from `input`; the `history` samples before `input` must be valid too. Returns the number of
    /// input samples used up.
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

    /// Returns how many more input samples than output samples have passed after `steps` outputs, rounded down;
    /// negative with `slower`.
    private func offset(_ direction: Direction, _ steps: Int) -> Int { place(direction, steps).whole }

    private func place(_ direction: Direction, _ steps: Int) -> (whole: Int, share: Float) {
        let moved = steps * direction.rawValue
        let whole = moved >> 9
        return (whole, Float(moved - (whole << 9)) / Float(Self.length))
    }

    /// Interpolates between the sample 2 before `here` (`share` 0) and the sample 1 before `here` (`share` 1).
    private static func between(_ here: UnsafePointer<Float>, _ share: Float) -> Float {
        let (a, b, c, d) = (here[-3], here[-2], here[-1], here[0])
        let slope = 0.5 * (c - a)
        let second = a - 2.5 * b + 2 * c - 0.5 * d
        let third = 0.5 * (d - a) + 1.5 * (b - c)
        return b + share * (slope + share * (second + share * third))
    }
}
