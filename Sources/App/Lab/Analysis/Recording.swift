package import Primitives

/// The sound that a node played to its listener, with the instant at which sample 0 sounded.
package struct Recording: Sendable {
    /// Mono at 48 kHz, full scale 1.
    package let samples: [Float]
    package let start: Instant

    package init(samples: [Float], start: Instant) {
        self.samples = samples
        self.start = start
    }

    package var end: Instant { start + Interval(samples: samples.count) }

    /// Returns the sound between two instants, as far as the recording has it.
    package func sound(from first: Instant, to last: Instant) -> ArraySlice<Float> {
        let lower = min(max(0, index(at: first)), samples.count)
        let upper = min(max(lower, index(at: last)), samples.count)
        return samples[lower..<upper]
    }

    /// Returns the instant at which the sample at `index` sounded.
    package func instant(of index: Int) -> Instant { start + Interval(samples: index) }

    private func index(at instant: Instant) -> Int { (instant - start).samples }
}
