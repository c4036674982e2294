package import Primitives

/// Decides when playback renders its next block, and how long the block is (docs/THREADS.md, "When a block is
/// written").
///
/// ```
///           a peer is there               2 s without a frame
///   alone ◀─────────────────▶ listening ─────────────────────▶ resting
///                                 ▲    a frame, or it ran dry     │
///                                 │    too often (RestAllowance)  │
///                                 └───────────────────────────────┘
/// ```
/// Alone: no frame can be waiting, so blocks are whole periods. Listening: blocks are parts of a period, since a frame
/// waits up to one block for its turn. Resting: blocks are whole periods again, but each is rendered only when the
/// queue is so low that the block ends where the part would have ended. So nothing is decided earlier than while
/// listening.
///
/// A device may report its position in steps, for example of 1 ms. Its report is then up to one step old. A thread that
/// sleeps by it sometimes wakes up too early, or later from period to period. At rest there should be one wake-up a
/// period, and little is queued. Therefore each wake-up is computed from the one before it, and a block is longer by
/// the number of samples that the queue lacked. So the next block is due when the device takes a step.
package struct BlockPacing {
    /// Render `samples` as soon as no more than `queueMax` samples are queued.
    package struct Turn: Hashable {
        package let samples: Int
        /// The length of a block while listening, and so of the next block once a frame has come.
        package let partSamples: Int
        package let queueMax: Int
        package let isResting: Bool

        package init(samples: Int, partSamples: Int, queueMax: Int, isResting: Bool) {
            self.samples = samples
            self.partSamples = partSamples
            self.queueMax = queueMax
            self.isResting = isResting
        }
    }

    /// The facts, besides the time, on which a turn depends.
    package struct Situation {
        /// The samples that should be queued in the device when a block is written.
        package let leadSamples: Int
        /// The period of the device.
        package let periodSamples: Int
        /// Parts of a period while listening; 1 in `powersave`.
        package let blocksPerPeriod: Int
        /// Whether a frame may come.
        package let hasPeers: Bool
        /// Samples since the latest frame came or sounded.
        package let quietSamples: Int64
        /// Whether the queue runs down by the clock. False if the device has run dry or been opened since the latest
        /// block, or if a program pulls from it.
        package let mayRest: Bool

        package init(
            leadSamples: Int, periodSamples: Int, blocksPerPeriod: Int, hasPeers: Bool, quietSamples: Int64,
            mayRest: Bool
        ) {
            self.leadSamples = leadSamples
            self.periodSamples = periodSamples
            self.blocksPerPeriod = blocksPerPeriod
            self.hasPeers = hasPeers
            self.quietSamples = quietSamples
            self.mayRest = mayRest
        }
    }

    private var allowance = RestAllowance()
    private var isResting = false
    /// The instant at which the next block is due, computed from the latest one. Nil once the thread waits for it.
    private var dueAt: Instant?
    /// The instant up to which the thread has waited for the next block.
    private var lookedForAt: Instant?

    package init() {}

    /// The next turn. Call it before each block.
    package mutating func next(_ situation: Situation, now: Instant) -> Turn {
        let period = min(situation.periodSamples, AudioLimits.renderSamplesMax)
        let part = min(max(situation.periodSamples / situation.blocksPerPeriod, AudioLimits.blockSamplesMin), period)
        let restQueueMax = situation.leadSamples + part - period
        // In a device that stands still the queue does not run down.
        isResting =
            situation.hasPeers && situation.mayRest && AudioLimits.restAfterSamples <= situation.quietSamples
            && AudioLimits.restSamplesMin <= restQueueMax && allowance.mayRest(now: now)
        if isResting { return Turn(samples: period, partSamples: part, queueMax: restQueueMax, isResting: true) }
        (dueAt, lookedForAt) = (nil, nil)
        return Turn(
            samples: situation.hasPeers ? part : period, partSamples: part, queueMax: situation.leadSamples,
            isResting: false)
    }

    /// The instant until which to sleep if more than `turn.queueMax` samples are queued.
    package mutating func wakeUp(queued: Int, for turn: Turn, now: Instant) -> Instant {
        let missing = Interval(samples: queued - turn.queueMax)
        let wait = min(max(missing, AudioLimits.waitMin), AudioLimits.waitMax)
        guard turn.isResting else { return now + wait }
        // The thread woke up too early: the device will take its step soon, and fewer samples are queued than it
        // reports.
        let again = min(max(wait / 2, AudioLimits.waitMin), AudioLimits.waitMin * 2)
        let next = lookedForAt == nil ? min(dueAt ?? .distantFuture, now + wait) : now + again
        (dueAt, lookedForAt) = (nil, next)
        return next
    }

    /// The length of the block that is rendered at `now`, when no more than `turn.queueMax` samples are queued.
    package mutating func samples(queued: Int, for turn: Turn, now: Instant) -> Int {
        guard turn.isResting else { return turn.samples }
        let isInTime = queued == turn.queueMax
        let period = Interval(samples: turn.samples)
        let from = isInTime ? min(lookedForAt ?? now, now) : now
        (dueAt, lookedForAt) = (from + period - period / AudioLimits.restCreep, nil)
        // A device that moves whole periods gets blocks of whole periods.
        let missing = turn.partSamples < turn.samples ? turn.queueMax - queued : 0
        return min(turn.samples + missing, AudioLimits.renderSamplesMax)
    }

    /// Call it when the device ran dry.
    package mutating func ranDry(now: Instant) {
        (dueAt, lookedForAt) = (nil, nil)
        guard isResting else { return }
        isResting = false
        allowance.spend(now: now)
    }
}

/// Decides how often the device may run dry while playback rests, and how long playback stays awake after it has run
/// dry more often.
///
/// At rest an underrun is not heard, since silence replaces silence. So a stall of the machine is no reason to wake up
/// four times as often for minutes. A device on which rest does not work at all runs dry at each block, and soon uses
/// up `AudioLimits.restUnderrunsMax`. After the pause its allowance is still empty, so the first underrun begins the
/// next pause.
///
/// ```
///       ran dry, some left: one fewer; one more each half second
///            ┌───┐
///            │   ▼     ran dry, none left
///          may rest ──────────────────────▶ awake for 10, 20 … 600 s (half as long for each minute without)
///              ▲                               │
///              └─────── over, none left ───────┘
/// ```
package struct RestAllowance {
    /// The instant at which the allowance is complete again. It grows by one each `AudioLimits.restUnderrunEvery`.
    private var wholeAt = Instant.zero
    private var restsFrom = Instant.zero
    /// The length of the next pause.
    private var pause = AudioLimits.restPauseMin

    package init() {}

    package func mayRest(now: Instant) -> Bool { restsFrom <= now }

    /// Call it when the device ran dry while playback rested.
    package mutating func spend(now: Instant) {
        let whole = max(wholeAt, now) + AudioLimits.restUnderrunEvery
        guard Self.all < whole - now else {
            wholeAt = whole
            return
        }
        shorten(calm: now - restsFrom)
        restsFrom = now + pause
        wholeAt = restsFrom + Self.all
        pause = min(pause * 2, AudioLimits.restPauseMax)
    }

    private mutating func shorten(calm: Interval) {
        var minutes = calm.nanoseconds / AudioLimits.restCalm.nanoseconds
        while 0 < minutes, AudioLimits.restPauseMin < pause {
            pause = max(pause / 2, AudioLimits.restPauseMin)
            minutes -= 1
        }
    }

    private static let all = AudioLimits.restUnderrunEvery * AudioLimits.restUnderrunsMax
}
