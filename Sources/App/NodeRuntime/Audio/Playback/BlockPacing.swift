package import Primitives

/// When playback renders its next block, and how long that is (docs/THREADS.md, "When a block is
/// written").
///
/// ```
///           a peer is there               2 s without a frame
///   alone ◀─────────────────▶ listening ─────────────────────▶ resting
///                                 ▲       a frame, or it ran dry  │
///                                 └───────────────────────────────┘
/// ```
/// Alone, no frame can be waiting: whole periods. Listening: parts of a period, since a frame waits
/// that long for its turn. Resting: whole periods again, but each only when the queue is so low that
/// nothing is decided earlier than while listening: the block ends where the part would have ended.
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

        package init(
            leadSamples: Int, periodSamples: Int, blocksPerPeriod: Int, hasPeers: Bool, quietSamples: Int64
        ) {
            self.leadSamples = leadSamples
            self.periodSamples = periodSamples
            self.blocksPerPeriod = blocksPerPeriod
            self.hasPeers = hasPeers
            self.quietSamples = quietSamples
        }
    }

    private var restsFrom = Instant.zero
    private var pause = AudioLimits.restPauseMin
    private var isResting = false

    package init() {}

    /// The next block, decided anew before each.
    package mutating func next(_ situation: Situation, now: Instant) -> Turn {
        let period = min(situation.periodSamples, AudioLimits.renderSamplesMax)
        let part = min(max(situation.periodSamples / situation.blocksPerPeriod, AudioLimits.blockSamplesMin), period)
        let restQueueMax = situation.leadSamples + part - period
        isResting =
            situation.hasPeers && AudioLimits.restAfterSamples <= situation.quietSamples && restsFrom <= now
            && AudioLimits.restSamplesMin <= restQueueMax
        if isResting { return Turn(samples: period, partSamples: part, queueMax: restQueueMax, isResting: true) }
        return Turn(
            samples: situation.hasPeers ? part : period, partSamples: part, queueMax: situation.leadSamples,
            isResting: false)
    }

    /// The device ran dry. While resting there is less in it, and on a machine that stalls too little:
    /// it then stays awake for ten seconds, and twice as long each further time.
    package mutating func ranDry(now: Instant) {
        guard isResting else { return }
        isResting = false
        restsFrom = now + pause
        pause = min(pause * 2, AudioLimits.restPauseMax)
    }
}
