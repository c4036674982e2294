import Primitives

/// Arrival times of a talker's frames, and the delay that its sound needs. Measured here, chosen by `PlayoutPolicy`.
///
/// *Transit* is the arrival minus the end of the frame, both in samples: the arrival on this node's playback card,
/// the end on the talker's clock. The smallest transit over 4 s stands for an undisturbed network; the *delay* of a
/// frame is its transit beyond that. If the two cards' clocks differ, the transit drifts, and the minimum follows.
///
/// Sound can be used only in the block that is rendered next after it came. So a frame counts as arrived at the start
/// of that block. The target then covers the network, the reading thread and the phase between packets and blocks in
/// one figure, and no margin is added.
struct TalkerArrivals: BitwiseCopyable {
    /// Wanted delay beyond the quickest transit.
    private(set) var targetSamples: Int64 = PlayoutPolicy.startTargetSamples
    private(set) var histogram = DelayHistogram()
    private var transits: SlidingMinimum
    /// The greatest delays of the last 10 s of talk, negated. Each is computed as if the frame had waited a whole block
    /// for playback, the longest wait. The true wait, and with it the target, would drift with the clocks of the cards.
    private var longest: SlidingMinimum
    /// Length of all frames so far, in samples. `longest` measures its memory by it, so silence forgets nothing.
    private var talkedSamples: Int64 = 0
    private var latestArrival: Int64 = 0
    private var sinceTarget = 0
    private var unreachableRun = 0
    /// The newest frame so far, by its end; nil before any.
    private var newest: (end: Int64, delay: Int64)?
    /// Whether frames come that a stall of the network has held back.
    private var isCatchingUp = false

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
        targetSamples = PlayoutPolicy.startTargetSamples
        (sinceTarget, unreachableRun, newest, isCatchingUp) = (0, 0, nil, false)
    }

    /// The smallest transit of the last 4 s; nil before anything came.
    var quickestTransit: Int64? { transits.minimum }

    /// Notes the arrival, at `arrival`, of a packet or clock whose last sample ends at `end` on the talker's clock.
    @_noAllocation @_noLocks
    mutating func addTransit(end: Int64, arrival: Int64) {
        let silence = arrival &- latestArrival
        if !transits.isEmpty, PlayoutPolicy.staleSamples < silence {
            // The two clocks may have drifted apart: measure again, with more delay until frames have come.
            transits.removeAll()
            targetSamples += PlayoutPolicy.staleTargetSamples
        }
        latestArrival = max(latestArrival, arrival)
        transits.insert(arrival &- end, at: arrival)
    }

    /// Adds a frame that has come for the first time. `isIdle`: no sound of this talker plays. `wasLost`: the frame
    /// came as a copy, 1 … `VoiceLimits.copiesMax` packets after its own packet, which therefore counts as a single
    /// loss.
    @_noAllocation @_noLocks
    mutating func addFrame(
        end: Int64, readiness: Readiness, frameSamples: Int, isLate: Bool, isIdle: Bool, wasLost: Bool
    ) {
        guard let quickest = transits.minimum else { return }
        let delay = readiness.usable &- quickest &- end
        judgeStall(end: end, delay: delay)
        guard !isCatchingUp else { return }
        let share = wasLost ? VoiceLimits.singleLossWeight(frameSamples: frameSamples) : 1
        histogram.insert(delay: delay, frameSamples: frameSamples, share: share)
        talkedSamples &+= Int64(frameSamples)
        longest.insert(quickest &+ end &- readiness.usableAtWorst, at: talkedSamples)
        sinceTarget += 1
        if PlayoutPolicy.isTargetDue(framesSince: sinceTarget, framesKnown: histogram.count, isLate: isLate) {
            sinceTarget = 0
            targetSamples = wantedTarget
        } else if isIdle, PlayoutPolicy.mayOnlyRise(framesKnown: histogram.count) {
            targetSamples = max(targetSamples, wantedTarget)
        }
        unreachableRun = Self.unreachableSamples <= delay ? unreachableRun + 1 : 0
        // The path has become slower, or the talker's clock was set back: the old quickest transit does not come again.
        if unreachableRun == Self.unreachableRunMax { removeAll() }
    }

    /// Finds frames that a stall of the network has held back: the first of them is 200 ms late or more, and they come
    /// together, each less late than the one before. They say nothing about the path after the stall.
    @_noAllocation @_noLocks
    private mutating func judgeStall(end: Int64, delay: Int64) {
        guard let before = newest else { return newest = (end, delay) }
        // A copy, or an older frame of the same packet.
        guard before.end < end else { return }
        let wasHeldBack = isCatchingUp || Self.unreachableSamples <= before.delay
        isCatchingUp = wasHeldBack && end &- before.end <= 2 &* (before.delay &- delay)
        newest = (end, delay)
    }

    private var wantedTarget: Int64 {
        PlayoutPolicy.target(
            present: targetSamples,
            cheapest: PlayoutPolicy.cheapestDelay(weights: histogram.bucketWeights, total: histogram.total),
            longest: max(0, -(longest.minimum ?? 0)))
    }

    /// Adapts the transits and their times to a jump of the playback card's clock.
    @_noAllocation @_noLocks
    mutating func shift(by samples: Int64) {
        transits.shift(by: samples)
        latestArrival &+= samples
    }

    /// A delay that the histogram cannot hold: 200 ms.
    private static let unreachableSamples = Int64(VoiceLimits.delayBuckets * VoiceLimits.delayBucketSamples)
    /// Frames in a row, each with a delay of 200 ms or more, after which everything is measured again.
    private static let unreachableRunMax = 8
}

/// The time at which arrived sound can be played: playback asks for whole blocks.
///
/// Sound that comes less than 1/6 ms before its block is asked for counts for the next block: with so small a margin
/// the next packet may come too late.
struct Readiness: BitwiseCopyable {
    /// Start of the block in which the sound can be played.
    let usable: Int64
    /// `usable` for the worst phase between packets and blocks; the phase drifts.
    let usableAtWorst: Int64
    /// Whether the threads of this node were stopped when the sound came, or up to 2 ms before. The delay then says
    /// nothing about the path.
    let isExcused: Bool

    /// All positions are in samples of the playback card.
    /// - Parameters:
    ///   - arrival: time of arrival.
    ///   - nextBlock: start of the block rendered next.
    ///   - excusedUntil: 2 ms after the latest stop of this node's threads ended. An arrival up to then is excused.
    @_noAllocation @_noLocks
    init(arrival: Int64, nextBlock: Int64, blockSamples: Int, excusedUntil: Int64) {
        let ready = arrival &+ Self.readySamples
        let late = max(0, ready &- nextBlock)
        let blocks = (late &+ Int64(blockSamples) - 1) / Int64(blockSamples)
        usable = nextBlock &+ blocks &* Int64(blockSamples)
        isExcused = arrival <= excusedUntil
        usableAtWorst = max(usable, ready &+ Int64(blockSamples))
    }

    /// 1/6 ms.
    private static let readySamples: Int64 = 8
}
