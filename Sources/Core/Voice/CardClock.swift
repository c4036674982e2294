package import Primitives

/// Ties the samples that a sound card has moved to the node's monotonic line.
///
/// Threads are woken late, never early, so the true line lies along the earliest wake-ups: a
/// measurement before the line pulls it down at once, and the line creeps up by 500 ppm to follow
/// a slow card. Plain value: the capture thread publishes it, the node loop reads it.
package struct CardClock: Sendable, BitwiseCopyable {
    /// Samples moved at the latest update.
    package private(set) var sampleCount: Int64 = 0
    /// When sample 0 passed, as the line stands.
    private var originNanoseconds: Int64 = 0
    private var updateNanoseconds: Int64 = 0
    /// Whether there has been an update; positions mean nothing before.
    package private(set) var isRunning = false

    package init() {}

    /// `sampleCount` samples had been moved at `instant`. Returns by how many samples positions
    /// from `position(of:)` have jumped, 0 in the normal case: after a stall the line starts anew.
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

    /// Where on the card's own line of samples an instant lies.
    package func position(of instant: Instant) -> Int64 {
        Self.samples(instant.nanoseconds &- originNanoseconds)
    }

    /// The media clock of this node at `instant`: what a control block says.
    package func sampleTime(at instant: Instant) -> SampleTime {
        SampleTime(samples: UInt32(truncatingIfNeeded: position(of: instant)))
    }

    /// The instant at which a sample passes.
    package func instant(of position: Int64) -> Instant {
        Instant(nanoseconds: originNanoseconds &+ Self.nanoseconds(position))
    }

    /// 48 samples are a millisecond, so 3 samples are exactly 62,500 ns. Rounded up, and samples
    /// down, so that a sample's instant lies within that sample, before the start too.
    private static func nanoseconds(_ samples: Int64) -> Int64 {
        let (whole, rest) = floored(samples, by: 3)
        return whole &* 62_500 &+ (rest * 62_500 + 2) / 3
    }

    private static func samples(_ nanoseconds: Int64) -> Int64 {
        let (whole, rest) = floored(nanoseconds, by: 62_500)
        return whole &* 3 &+ rest * 3 / 62_500
    }

    /// Quotient and a remainder that is not negative.
    private static func floored(_ number: Int64, by divisor: Int64) -> (whole: Int64, rest: Int64) {
        let (whole, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (whole - 1, rest + divisor) : (whole, rest)
    }

    /// 1/2,000 is 500 ppm, more than two cards differ by.
    private static let leakDivisor: Int64 = 2_000
    /// A wake-up this late is a stalled or reopened card, not a late thread.
    private static let stallNanoseconds: Int64 = 50_000_000
    /// A measurement this far before the line is a step of the card, not creeping.
    private static let stepNanoseconds: Int64 = 2_000_000
}
