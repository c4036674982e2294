package import Primitives

/// This node's media clock, extrapolated at 48 kHz between two updates from the shell.
package struct MediaClock: Sendable {
    private var time = SampleTime(samples: 0)
    private var at: Instant

    package init(now: Instant) { at = now }

    package mutating func set(_ time: SampleTime, now: Instant) {
        self.time = time
        at = now
    }

    package func sampleTime(now: Instant) -> SampleTime {
        // Whole seconds are computed apart, so that the product does not overflow after days without an update.
        let elapsed = (now - at).nanoseconds
        let (seconds, rest) = elapsed.quotientAndRemainder(dividingBy: 1_000_000_000)
        let samples = seconds * Int64(SampleTime.rateHertz) + rest * Int64(SampleTime.rateHertz) / 1_000_000_000
        return SampleTime(samples: time.samples &+ UInt32(truncatingIfNeeded: samples))
    }
}
