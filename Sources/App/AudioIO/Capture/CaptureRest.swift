package import Primitives

/// Decides when the capture thread may sleep for several periods: while nothing can be sent without an order
/// (docs/THREADS.md, "When capture rests").
///
/// ```
///           closed for 2 s, no block waits               a block waits
///   awake ────────────────────────────────▶ resting ────────────────────▶ taking what has come
///     ▲                                        ▲                             │           │
///     │                                        └──────── no block waits ─────┘           │
///     └──────────────── the key opens: what was complete before passes as closed ────────┘
/// ```
package struct CaptureRest {
    /// Samples since the latest block that was or could have been sent.
    private var closedSamples: Int64 = 0
    /// The end of the latest rest.
    private var restedUntil = Instant.zero

    package init() {}

    /// Call it when a block has been passed on.
    package mutating func passed(samples: Int, isClosed: Bool) {
        closedSamples = isClosed ? closedSamples + Int64(samples) : 0
    }

    /// The end of the next rest; nil if the thread must not rest: capture was not closed for long enough, the device
    /// holds too few blocks, or a block waits.
    /// - Parameters:
    ///   - nextAt: the instant at which the first unread sample was captured.
    ///   - blockSamples: the number of samples that are read at once.
    ///   - bufferSamples: the number of samples that the device holds before it loses sound.
    package func wakeUp(nextAt: Instant, blockSamples: Int, bufferSamples: Int, now: Instant) -> Instant? {
        let length = min(AudioLimits.captureRestMax, Interval(samples: bufferSamples / 2))
        let block = Interval(samples: blockSamples)
        guard AudioLimits.restAfterSamples <= closedSamples, block * 2 <= length else { return nil }
        // The device may show a complete block a little later.
        guard now < nextAt + block + AudioLimits.captureRestMargin else { return nil }
        return min(nextAt, now) + length + AudioLimits.captureRestMargin
    }

    package mutating func rested(until now: Instant) { restedUntil = now }

    /// The number of blocks that can be read at once: those that came while the thread rested, at least one.
    /// - Parameter hasGap: whether the device lost sound or has just been opened. Then nothing waits in it.
    package func blocksWaiting(nextAt: Instant, blockSamples: Int, hasGap: Bool) -> Int {
        guard !hasGap else { return 1 }
        let waiting = restedUntil - AudioLimits.captureRestMargin - nextAt
        return max(1, waiting.samples / blockSamples)
    }

    /// Whether a block waited while the thread rested.
    package func hasWaited(blockEnd: Instant) -> Bool { blockEnd <= restedUntil }
}
