import Primitives

/// Arrival times of a talker's frames, and the delay that its sound needs.
///
/// *Transit* is the arrival minus the end of the frame, both in samples: the arrival on this node's playback card,
/// the end on the talker's clock. The smallest transit over 4 s stands for an undisturbed network; the *delay* of a
/// frame is its transit beyond that. If the two cards' clocks differ, the transit drifts, and the minimum follows.
///
/// Sound can be used only in the block that is rendered next after it came. So a frame counts as arrived at the start
/// of that block. The target then covers the network, the reading thread and the phase between packets and blocks in
/// one figure, and no margin is added.
///
/// The histogram forgets slowly, so that rare delays keep their share. But the target is at most the delay with which
/// all frames of the last 10 s of talk were in time. Otherwise a burst of delay, for example while many links are
/// made or a path changes, would keep the target high for minutes.
struct TalkerArrivals: BitwiseCopyable {
    /// Wanted delay beyond the quickest transit.
    private(set) var targetSamples: Int64 = Self.startTargetSamples
    private(set) var histogram = DelayHistogram()
    private var transits: SlidingMinimum
    /// The greatest delays of the last 10 s of talk, negated. Each is computed for the worst phase of the blocks:
    /// with the true phase the target would drift with the clocks.
    private var longest: SlidingMinimum
    /// Length of all frames so far, in samples. `longest` measures its memory by it, so silence forgets nothing.
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

    /// The smallest transit of the last 4 s; nil before anything came.
    var quickestTransit: Int64? { transits.minimum }

    /// Notes the arrival, at `arrival`, of a packet or clock whose last sample ends at `end` on the talker's clock.
    @_noAllocation @_noLocks
    mutating func addTransit(end: Int64, arrival: Int64) {
        let silence = arrival &- latestArrival
        if !transits.isEmpty, Self.staleSamples < silence {
            // The two clocks may have drifted apart: measure again, with more delay until frames have come.
            transits.removeAll()
            targetSamples += Self.staleTargetSamples
        }
        latestArrival = max(latestArrival, arrival)
        transits.insert(arrival &- end, at: arrival)
    }

    /// Notes a frame that has come for the first time. `wasLost`: the packet that should have brought it was lost, and
    /// a later packet brought its copy, at one of the distances used against single losses.
    @_noAllocation @_noLocks
    mutating func addFrame(end: Int64, readiness: Readiness, frameSamples: Int, isLate: Bool, wasLost: Bool) {
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
            // The talker's clock was set back. All frames now seem so late that the old quickest transit cannot come
            // again.
            removeAll()
        }
    }

    /// Raises the target at once, but lowers it only by more than 1/16: a smaller gain is not worth the change there
    /// and back.
    private mutating func aim(at samples: Int64) {
        if targetSamples < samples || samples < targetSamples - targetSamples / 16 { targetSamples = samples }
    }

    /// The delay with which no frame of the last 10 s of talk was late, plus one eighth, so that a steady jitter does
    /// not move the target.
    private var longestNeeded: Int64 {
        let bucket = Int64(VoiceLimits.delayBucketSamples)
        let longest = max(0, -(longest.minimum ?? 0))
        return (longest * 9 / 8 / bucket + 1) * bucket
    }

    /// Adapts the transits to a jump of the playback card's clock.
    @_noAllocation @_noLocks
    mutating func shift(by samples: Int64) { transits.shift(by: samples) }

    /// 5 ms, until enough frames have come.
    private static let startTargetSamples: Int64 = 240
    /// Frames between two computations of the target.
    private static let targetEvery = 20
    /// 30 s without a packet: clocks that differ by 100 ppm drift apart by 3 ms in that time.
    private static let staleSamples: Int64 = 30 * 48_000
    /// 5 ms.
    private static let staleTargetSamples: Int64 = 240
    /// A delay that the histogram cannot hold: 200 ms.
    private static let unreachableSamples = Int64(VoiceLimits.delayBuckets * VoiceLimits.delayBucketSamples)
    /// Frames in a row with such a delay after which everything is measured again.
    private static let unreachableRunMax = 8
}
