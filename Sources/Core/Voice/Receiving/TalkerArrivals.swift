import Primitives

/// When a talker's frames come, and so how much delay its sound needs.
///
/// *Transit* is arrival less the end of the frame, both in samples: arrival on this node's playback
/// card, the end on the talker's clock. Its smallest value over 4 s stands for an undisturbed
/// network; what a frame takes beyond it is its delay. A difference between the two cards' clocks
/// makes the transit creep, and the minimum follows.
///
/// Sound can only be used in the block rendered next after it came. So a frame counts as come at
/// that block's start, not at its arrival: the target then covers the network, the reading thread
/// and the phase between packets and blocks in one figure, and nothing is added on top.
///
/// The histogram forgets slowly, so that rare delays get their due share. What all frames came in
/// time for during the last 10 s of talk is not kept any longer, though: a burst of delay, while
/// many links are made or a way changes, would be remembered for minutes by its share alone.
struct TalkerArrivals: BitwiseCopyable {
    /// The delay to aim at, beyond the quickest transit.
    private(set) var targetSamples: Int64 = Self.startTargetSamples
    private(set) var histogram = DelayHistogram()
    private var transits: SlidingMinimum
    /// The greatest delays lately, with a minus, each for the worst phase of the blocks: a target that
    /// followed the phase would wander with the clocks.
    private var longest: SlidingMinimum
    /// All frames so far, in samples: the clock of `longest`, which stands still in silence.
    private var talkedSamples: Int64 = 0
    private var latestArrival: Int64 = 0
    private var sinceTarget = 0
    private var unreachableRun = 0

    init() {
        transits = SlidingMinimum(window: VoiceLimits.transitWindowSamples)
        longest = SlidingMinimum(window: VoiceLimits.delayWindowSamples)
    }

    func destroy() {
        longest.destroy()
        histogram.destroy()
        transits.destroy()
    }

    @_noAllocation @_noLocks
    mutating func removeAll() {
        transits.removeAll()
        longest.removeAll()
        histogram.removeAll()
        targetSamples = Self.startTargetSamples
        (sinceTarget, unreachableRun) = (0, 0)
    }

    /// The quickest transit lately; nil before anything came.
    var quickestTransit: Int64? { transits.minimum }

    /// Something that left the talker at `end` came at `arrival`.
    @_noAllocation @_noLocks
    mutating func noteTransit(end: Int64, arrival: Int64) {
        let silence = arrival &- latestArrival
        if !transits.isEmpty, Self.staleSamples < silence {
            // The clocks may have moved apart; be careful until they are known again.
            transits.removeAll()
            targetSamples += Self.staleTargetSamples
        }
        latestArrival = max(latestArrival, arrival)
        transits.insert(arrival &- end, at: arrival)
    }

    /// A frame became usable for the first time; `wasLost` where it was by a copy, and not one sent against bursts.
    @_noAllocation @_noLocks
    mutating func noteFrame(end: Int64, readiness: Readiness, frameSamples: Int, isLate: Bool, wasLost: Bool) {
        guard let quickest = transits.minimum else { return }
        let delay = readiness.usable &- quickest &- end
        let share = wasLost ? VoiceLimits.singleLossWeight(frameSamples: frameSamples) : 1
        histogram.insert(delay: delay, frameSamples: frameSamples, share: share)
        talkedSamples &+= Int64(frameSamples)
        longest.insert(quickest &+ end &- readiness.usableAtWorst, at: talkedSamples)
        sinceTarget += 1
        if Self.targetEvery <= sinceTarget || (isLate && Self.targetEvery <= histogram.count) {
            sinceTarget = 0
            aim(at: min(histogram.cheapestDelay(), longestNeeded))
        }
        unreachableRun = Self.unreachableSamples <= delay ? unreachableRun + 1 : 0
        if unreachableRun == Self.unreachableRunMax {
            // The talker's clock has been set back: what was quick will never be again.
            removeAll()
        }
    }

    /// More delay is wanted at once; a little less is not worth the way there and back.
    private mutating func aim(at samples: Int64) {
        if targetSamples < samples || samples < targetSamples - targetSamples / 16 { targetSamples = samples }
    }

    /// The delay for which no frame of the last 10 s of talk was late, and an eighth more, so that a
    /// steady jitter does not move the target.
    private var longestNeeded: Int64 {
        let bucket = Int64(VoiceLimits.delayBucketSamples)
        let longest = max(0, -(longest.minimum ?? 0))
        return (longest * 9 / 8 / bucket + 1) * bucket
    }

    /// This node's card has stepped against the clock of the arrivals.
    @_noAllocation @_noLocks
    mutating func shift(by samples: Int64) { transits.shift(by: samples) }

    /// 5 ms, until enough frames have come.
    private static let startTargetSamples: Int64 = 240
    private static let targetEvery = 20
    /// 30 s without a word: 100 ppm make 3 ms of that.
    private static let staleSamples: Int64 = 30 * 48_000
    private static let staleTargetSamples: Int64 = 240
    private static let unreachableSamples = Int64(VoiceLimits.delayBuckets * VoiceLimits.delayBucketSamples)
    private static let unreachableRunMax = 8
}
