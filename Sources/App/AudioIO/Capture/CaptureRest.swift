package import Primitives

/// When the capture thread need not wake up for each period: while nothing can be sent without an order
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
    /// Since the latest block that was, or could have been, sent.
    private var closedSamples: Int64 = 0
    /// When the latest rest was over.
    private var restedUntil = Instant.zero

    package init() {}

    /// A block has been passed on.
    package mutating func passed(samples: Int, isClosed: Bool) {
        closedSamples = isClosed ? closedSamples + Int64(samples) : 0
    }

    /// Until when to rest; nil where the next block is to be read.
    /// - Parameters:
    ///   - nextAt: when the first sample was captured that has not been read.
    ///   - blockSamples: that are read at once.
    ///   - bufferSamples: what the device holds before it loses sound.
    package func wakeUp(nextAt: Instant, blockSamples: Int, bufferSamples: Int, now: Instant) -> Instant? {
        let length = min(AudioLimits.captureRestMax, Interval(samples: bufferSamples / 2))
        let block = Interval(samples: blockSamples)
        guard AudioLimits.restAfterSamples <= closedSamples, block * 2 <= length else { return nil }
        // One that is complete may not yet be shown.
        guard now < nextAt + block + AudioLimits.captureRestMargin else { return nil }
        return min(nextAt, now) + length + AudioLimits.captureRestMargin
    }

    package mutating func rested(until now: Instant) { restedUntil = now }

    /// How many blocks can be read at once: those that came while the thread rested, else the next one alone.
    /// - Parameter hasGap: the device lost what had come, or has been opened since: nothing waits in it.
    package func blocksWaiting(nextAt: Instant, blockSamples: Int, hasGap: Bool) -> Int {
        guard !hasGap else { return 1 }
        let waiting = restedUntil - AudioLimits.captureRestMargin - nextAt
        return max(1, waiting.samples / blockSamples)
    }

    /// Whether a block waited while the thread rested.
    package func hasWaited(blockEnd: Instant) -> Bool { blockEnd <= restedUntil }
}
