package import Primitives

/// Converts between instants and the sample count of a sound card.
///
/// The estimate is the instant at which sample 0 passed. Threads wake up late, never early, so each measurement is the
/// true instant plus a delay, and the smallest is the best. A smaller measurement therefore lowers the estimate at
/// once. In between, the estimate rises by 500 ppm, so that it follows a card that is slower than the monotonic clock.
///
/// A plain value. The capture thread publishes its card's clock to the node loop; the playback thread keeps its own.
package struct CardClock: Sendable, BitwiseCopyable {
    /// Samples that the card had moved at the latest update.
    package private(set) var sampleCount: Int64 = 0
    /// Estimated instant at which sample 0 passed.
    private var originNanoseconds: Int64 = 0
    private var updateNanoseconds: Int64 = 0
    /// Whether there has been an update. Before, positions and instants have no meaning.
    package private(set) var isRunning = false

    package init() {}

    /// Takes a measurement: the card had moved `sampleCount` samples at `instant`. Returns the number of samples by
    /// which the results of `position(of:)` have jumped: 0, unless the card stalled or stepped.
    package mutating func update(sampleCount: Int64, at instant: Instant) -> Int64 {
        let measured = instant.nanoseconds &- Self.nanoseconds(sampleCount)
        self.sampleCount = sampleCount
        defer { updateNanoseconds = instant.nanoseconds }
        guard isRunning else {
            (isRunning, originNanoseconds) = (true, measured)
            return 0
        }
        let before = originNanoseconds
        let leak = max(0, instant.nanoseconds &- updateNanoseconds) / Self.leakDivisor
        let expected = originNanoseconds &+ leak
        let lateness = measured &- expected
        originNanoseconds = Self.stallNanoseconds < lateness ? measured : min(expected, measured)
        let hasJumped = Self.stallNanoseconds < lateness || lateness < -Self.stepNanoseconds
        return hasJumped ? Self.samples(before &- originNanoseconds) : 0
    }

    /// Returns the index of the card's sample that passes at `instant`.
    package func position(of instant: Instant) -> Int64 {
        Self.samples(instant.nanoseconds &- originNanoseconds)
    }

    /// Returns the media clock of this node at `instant`, as control blocks carry it.
    package func sampleTime(at instant: Instant) -> SampleTime {
        SampleTime(samples: UInt32(truncatingIfNeeded: position(of: instant)))
    }

    /// Returns the instant at which the card's sample with this index passes.
    package func instant(of position: Int64) -> Instant {
        Instant(nanoseconds: originNanoseconds &+ Self.nanoseconds(position))
    }

    /// Returns the duration of a number of samples, rounded up: 3 samples are exactly 62,500 ns. Its inverse,
    /// `samples(_:)`, rounds down. So the instant of a sample converts back to the same sample, also for negative
    /// numbers.
    private static func nanoseconds(_ samples: Int64) -> Int64 {
        let (whole, rest) = floored(samples, by: 3)
        return whole &* 62_500 &+ (rest * 62_500 + 2) / 3
    }

    private static func samples(_ nanoseconds: Int64) -> Int64 {
        let (whole, rest) = floored(nanoseconds, by: 62_500)
        return whole &* 3 &+ rest * 3 / 62_500
    }

    /// Returns the quotient, rounded down, and the remainder, which is not negative.
    private static func floored(_ number: Int64, by divisor: Int64) -> (whole: Int64, rest: Int64) {
        let (whole, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (whole - 1, rest + divisor) : (whole, rest)
    }

    /// The estimated instant of sample 0 rises by 1/2,000 of the time that passes (500 ppm). That is more than the
    /// clock of a sound card differs from the monotonic clock.
    private static let leakDivisor: Int64 = 2_000
    /// If a measurement is later than the estimate by more than 50 ms, the card stalled or was opened again: the
    /// estimate starts anew.
    private static let stallNanoseconds: Int64 = 50_000_000
    /// If a measurement is earlier than the estimate by more than 2 ms, the card stepped: the change is reported as a
    /// jump.
    private static let stepNanoseconds: Int64 = 2_000_000
}
