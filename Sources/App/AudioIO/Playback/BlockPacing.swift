package import Primitives

/// When playback renders its next block, and how long that is (docs/THREADS.md, "When a block is
/// written").
///
/// ```
///           a peer is there               2 s without a frame
///   alone ◀─────────────────▶ listening ─────────────────────▶ resting
///                                 ▲    a frame, or it ran dry     │
///                                 │    too often (RestAllowance)  │
///                                 └───────────────────────────────┘
/// ```
/// Alone, no frame can be waiting: whole periods. Listening: parts of a period, since a frame waits
/// that long for its turn. Resting: whole periods again, but each only when the queue is so low that
/// nothing is decided earlier than while listening: the block ends where the part would have ended.
///
/// A device may tell its position in steps, of 1 ms say. What it says is then up to a step old, and a thread that
/// sleeps by that wakes up too early now and then, or later from period to period. At rest, where each wake-up is to
/// be the only one of its period and little is queued, a wake-up therefore follows from the one before it, and a block
/// is longer by what the queue was found too short, so that the next one is due when the device takes a step.
package struct BlockPacing {
    /// Render `samples` as soon as no more than `queueMax` samples are queued.
    package struct Turn: Hashable {
        package let samples: Int
        /// What the block would be, and the next one will be, once a frame has come.
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

    /// What a turn depends on besides time.
    package struct Situation {
        /// What is to be queued in the device when a block is written.
        package let leadSamples: Int
        /// Of the device.
        package let periodSamples: Int
        /// Parts of a period while listening; 1 in `powersave`.
        package let blocksPerPeriod: Int
        /// Whether a frame may come.
        package let hasPeers: Bool
        /// Since the latest frame came or sounded.
        package let quietSamples: Int64
        /// The device plays: it has neither run dry nor been opened since the latest block.
        package let isPlaying: Bool

        package init(
            leadSamples: Int, periodSamples: Int, blocksPerPeriod: Int, hasPeers: Bool, quietSamples: Int64,
            isPlaying: Bool
        ) {
            self.leadSamples = leadSamples
            self.periodSamples = periodSamples
            self.blocksPerPeriod = blocksPerPeriod
            self.hasPeers = hasPeers
            self.quietSamples = quietSamples
            self.isPlaying = isPlaying
        }
    }

    private var allowance = RestAllowance()
    private var isResting = false
    /// When the next block is due, reckoned from the latest one, until it is waited for.
    private var dueAt: Instant?
    /// Until when the next block has been waited for.
    private var lookedForAt: Instant?

    package init() {}

    /// The next block, decided anew before each.
    package mutating func next(_ situation: Situation, now: Instant) -> Turn {
        let period = min(situation.periodSamples, AudioLimits.renderSamplesMax)
        let part = min(max(situation.periodSamples / situation.blocksPerPeriod, AudioLimits.blockSamplesMin), period)
        let restQueueMax = situation.leadSamples + part - period
        // What waits in a device that stands still does not run down.
        isResting =
            situation.hasPeers && situation.isPlaying && AudioLimits.restAfterSamples <= situation.quietSamples
            && AudioLimits.restSamplesMin <= restQueueMax && allowance.mayRest(now: now)
        if isResting { return Turn(samples: period, partSamples: part, queueMax: restQueueMax, isResting: true) }
        (dueAt, lookedForAt) = (nil, nil)
        return Turn(
            samples: situation.hasPeers ? part : period, partSamples: part, queueMax: situation.leadSamples,
            isResting: false)
    }

    /// Until when to sleep where more than `turn.queueMax` is queued.
    package mutating func wakeUp(queued: Int, for turn: Turn, now: Instant) -> Instant {
        let missing = Interval(samples: queued - turn.queueMax)
        let wait = min(max(missing, AudioLimits.waitMin), AudioLimits.waitMax)
        guard turn.isResting else { return now + wait }
        // Woken too early, the device is about to take its step, and less is queued than it says.
        let again = min(max(wait / 2, AudioLimits.waitMin), AudioLimits.waitMin * 2)
        let next = lookedForAt == nil ? min(dueAt ?? .distantFuture, now + wait) : now + again
        (dueAt, lookedForAt) = (nil, next)
        return next
    }

    /// How long the block becomes that is rendered at `now`, with no more than `turn.queueMax` queued.
    package mutating func samples(queued: Int, for turn: Turn, now: Instant) -> Int {
        guard turn.isResting else { return turn.samples }
        let isInTime = queued == turn.queueMax
        let period = Interval(samples: turn.samples)
        let from = isInTime ? min(lookedForAt ?? now, now) : now
        (dueAt, lookedForAt) = (from + period - period / AudioLimits.restCreep, nil)
        // A device that moves whole periods is written whole ones.
        let missing = turn.partSamples < turn.samples ? turn.queueMax - queued : 0
        return min(turn.samples + missing, AudioLimits.renderSamplesMax)
    }

    /// The device ran dry.
    package mutating func ranDry(now: Instant) {
        (dueAt, lookedForAt) = (nil, nil)
        guard isResting else { return }
        isResting = false
        allowance.spend(now: now)
    }
}
