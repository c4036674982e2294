/// The jitter policy: how late a talker's sound is played, and how it comes to that delay.
///
/// `TalkerArrivals` and `DelayHistogram` measure, and `TalkerPlayout` acts. These decisions are made here:
///
///     decision                                    asked for                              function
///     1 the target: which delay is wanted         at the first frames, before they play; target
///                                                 then every 20 frames and at a late one
///     2 the beginning: when a spurt starts        while a spurt waits                    beginning
///     3 the correction: slip, or cut              before samples are played              correction
///       a pause that is shortened                 after a frame is decoded               pauseCut
///     4 the step: play, conceal, stretch, end     while the buffer lacks samples         step
///
/// Each is a pure function of the facts that it is given. Delays and times are in samples of the playback card,
/// positions in samples of the talker's clock. The price of a late frame is `VoiceLimits.samplesPerLatePercent`, which
/// the talker's `ListenerPolicy` shares; some other bounds are in `VoiceLimits` too.
///
/// The measuring handles its own errors, so these decisions are not here: `TalkerArrivals` raises the target by
/// `staleTargetSamples` after a long silence, and measures everything again when sound is later by 200 ms and stays so.
/// `Readiness` counts sound that comes just before its block for the next one.
package enum PlayoutPolicy {}

// MARK: - 1 The target

extension PlayoutPolicy {
    /// The target before the first frame, and the smallest one until 20 have come: 5 ms.
    static let startTargetSamples: Int64 = 240
    /// Silence after which the target is raised by `staleTargetSamples`: 30 s without a packet or a media clock from
    /// the talker. Clocks that differ by 100 ppm drift apart by 3 ms in that time.
    static let staleSamples: Int64 = 30 * 48_000
    /// 5 ms.
    static let staleTargetSamples: Int64 = 240

    /// Returns whether the target is computed again, `framesSince` frames after the last time. `framesKnown` is the
    /// number of frames in the histogram, and `isLate` tells whether the latest frame was late.
    @_noAllocation @_noLocks
    package static func isTargetDue(framesSince: Int, framesKnown: Int, isLate: Bool) -> Bool {
        targetEvery <= framesSince || (isLate && targetEvery <= framesKnown)
    }

    /// Returns whether the histogram has too few frames to lower the target. A frame that comes before the spurt
    /// plays may then raise the target: a talker's clock comes without the delay of its capture, so even the first
    /// frame may need more than 5 ms.
    @_noAllocation @_noLocks
    package static func mayOnlyRise(framesKnown: Int) -> Bool { framesKnown < targetEvery }

    /// Returns the new target.
    ///
    /// The result is limited to the delay with which all frames of the last 10 s of talk were in time, plus one eighth,
    /// so that a steady jitter does not move it. Without the limit a burst of delay, for example while many links are
    /// made or a path changes, would keep the target high for minutes, because the histogram forgets slowly. The target
    /// rises at once, but falls only in steps of more than 1/16: a smaller gain is not worth the change there and back.
    /// - Parameters:
    ///   - present: the target so far.
    ///   - cheapest: the result of `cheapestDelay`.
    ///   - longest: the greatest delay of the last 10 s of talk, at least 0.
    @_noAllocation @_noLocks
    package static func target(present: Int64, cheapest: Int64, longest: Int64) -> Int64 {
        let bucket = Int64(VoiceLimits.delayBucketSamples)
        let wanted = min(cheapest, (longest * 9 / 8 / bucket + 1) * bucket)
        return present < wanted || wanted < present - present / 16 ? wanted : present
    }

    /// Returns the delay for which the delay and the price of the frames that come too late for it have the smallest
    /// sum.
    /// - Parameters:
    ///   - weights: weight of the frames in each of `VoiceLimits.delayBuckets` buckets of delay, the shortest first.
    ///   - total: the sum of `weights`; 0 before the first frame.
    @_noAllocation @_noLocks
    package static func cheapestDelay(weights: UnsafeBufferPointer<Float>, total: Float) -> Int64 {
        guard 0 < total else { return 0 }
        var late: Float = 0
        var best = VoiceLimits.delayBuckets
        var bestCost = Float.infinity
        var bucket = VoiceLimits.delayBuckets - 1
        while 0 <= bucket {
            let cost = Float((bucket + 1) * VoiceLimits.delayBucketSamples) + samplesPerLate * late / total
            if cost < bestCost { (best, bestCost) = (bucket + 1, cost) }
            late += weights[bucket]
            bucket -= 1
        }
        return Int64(best * VoiceLimits.delayBucketSamples)
    }

    /// Frames between two computations of the target.
    private static let targetEvery = 20
    /// Price of delivering every frame late, in samples of delay.
    private static let samplesPerLate = Float(100 * VoiceLimits.samplesPerLatePercent)
}

// MARK: - 2 The beginning of a spurt

extension PlayoutPolicy {
    /// When sound is due: a frame that starts at `s` and lasts `frameSamples` is due at
    /// `s + frameSamples + quickestTransit + target`. That is the time at which the frame would have come with the
    /// quickest transit, plus the target. `time` and `deficit` add a guard of 0.08 ms (`guardSamples`).
    package struct Timing: BitwiseCopyable {
        let quickestTransit: Int64
        let target: Int64
        let frameSamples: Int64

        /// - Parameters:
        ///   - quickestTransit: smallest difference between the arrival of a frame and its end, on the two clocks.
        ///   - target: delay that is wanted beyond it.
        ///   - frameSamples: length of the frames.
        package init(quickestTransit: Int64, target: Int64, frameSamples: Int64) {
            self.quickestTransit = quickestTransit
            self.target = target
            self.frameSamples = frameSamples
        }

        /// Returns the position that is due at `now`.
        @_noAllocation @_noLocks
        package func position(dueAt now: Int64) -> Int64 { now &- quickestTransit &- frameSamples &- target }

        /// Returns the deficit of the delay, in samples, if the sample at `position` is played at `now`. The deficit is
        /// the wanted delay less the delay that the sound then has. It is negative if the sound has too much delay.
        @_noAllocation @_noLocks
        package func deficit(of position: Int64, at now: Int64) -> Int64 {
            position &- self.position(dueAt: now) &+ guardSamples
        }

        /// Returns the time at which the sample at `position` is due.
        func time(of position: Int64) -> Int64 {
            position &+ quickestTransit &+ frameSamples &+ target &+ guardSamples
        }
    }

    /// How a spurt starts within some samples of silence.
    package enum Beginning: Equatable, BitwiseCopyable {
        /// It does not: its first frame is due later.
        case later
        /// The spurt's first frame is too late: it ends at or before `position`, the sample that is due.
        case missed(position: Int64)
        /// After `silence` samples with its sample at `position`.
        case start(position: Int64, silence: Int)
    }

    /// Returns how the spurt with the frame `first` starts, in the `count` samples from `now` on.
    ///
    /// A spurt starts when its first frame is due, whatever the delay of its own first packet. Some spurts start at
    /// once (`startsAtOnce`): a spurt that follows the sound before it directly, since a gap would be heard, and a
    /// spurt with pre-roll, since its delay is reduced while it plays.
    @_noAllocation @_noLocks
    package static func beginning(
        of first: JitterBuffer.Waiting, timing: Timing, startsAtOnce: Bool, now: Int64, count: Int
    ) -> Beginning {
        let due = startsAtOnce ? now : timing.time(of: first.start)
        guard due < now &+ Int64(count) else { return .later }
        let position = first.start &+ max(0, now &- due)
        if first.end <= position { return .missed(position: position) }
        return .start(position: position, silence: Int(max(0, due &- now)))
    }

    /// Delay kept beyond the target for the samples that the rate adjuster reads ahead: 0.08 ms.
    private static let guardSamples: Int64 = 4
}

// MARK: - 3 The correction of the delay

extension PlayoutPolicy {
    /// What brings the sound of a spurt nearer to its target, before the next samples are played.
    package enum Correction: Equatable, BitwiseCopyable {
        case none
        /// Insert or remove one sample without a seam.
        case slip(RateAdjuster.Direction)
        /// Leave out the sound before the position that is due.
        case cut
    }

    /// Returns the delay that the sound may have: the highest target of this spurt, limited to the delay that the sound
    /// still has, but at least the present target.
    /// - Parameters:
    ///   - before: the delay that was allowed so far; 0 at the start of a spurt after silence.
    ///   - target: the present target.
    ///   - deficit: the delay that the sound lacks of the target; negative if it has too much.
    @_noAllocation @_noLocks
    package static func allowedDelay(before: Int64, target: Int64, deficit: Int64) -> Int64 {
        max(target, min(before, target &- deficit))
    }

    /// Returns the correction of sound that lacks `deficit` samples of its target, where a delay of `allowed` is
    /// allowed. `isSlipping`: a slip is still under way.
    ///
    /// If the sound is more than 60 ms later than allowed, a part of it is cut out. This happens after the card has
    /// stalled, or when the path has become so much faster. If only the target has fallen, nothing is cut here: then
    /// `pauseCut` shortens pauses instead of words. Too little delay is always corrected, too much only above 0.25 ms:
    /// one sample too early makes a whole frame late, and one sample too late does no harm.
    @_noAllocation @_noLocks
    package static func correction(deficit: Int64, target: Int64, allowed: Int64, isSlipping: Bool) -> Correction {
        if jumpSamples < target &- deficit &- allowed { return .cut }
        guard 0 < deficit || deficit < -spareDelayMax, !isSlipping else { return .none }
        return .slip(0 < deficit ? .slower : .faster)
    }

    /// Returns how many of the last samples of a decoded frame are left out: at most 2.5 ms, if the frame is a pause
    /// and the sound has at least 5 ms too much delay. This cut is not heard.
    /// - Parameters:
    ///   - power: mean square of the frame.
    ///   - count: samples of the frame that would be played.
    @_noAllocation @_noLocks
    package static func pauseCut(deficit: Int64, power: Float, count: Int) -> Int {
        deficit <= -catchUpAbove && power < quietPower ? min(count, VoiceLimits.codedFrameSamplesMin) : 0
    }

    /// Excess delay from which sound is cut: 60 ms.
    private static let jumpSamples: Int64 = 2_880
    /// Delay beyond the target that is not corrected: 0.25 ms.
    private static let spareDelayMax: Int64 = 12
    /// Excess delay from which pauses are shortened: 5 ms.
    private static let catchUpAbove: Int64 = 240
    /// -50 dBFS.
    private static let quietPower: Float = 1e-5
}

// MARK: - 4 The next step

extension PlayoutPolicy {
    /// The next step in playing a spurt.
    package enum Step: Equatable, BitwiseCopyable {
        /// Decode the frame in this slot and leave out its first `skipping` samples, whose time is over.
        case play(slot: Int, skipping: Int)
        /// Conceal this many samples; the position advances by them.
        case conceal(Int)
        /// Insert this many concealed samples; the position stays, so the delay grows by them.
        case stretch(Int)
        /// Append this many samples of silence; the position advances by them.
        case silence(Int)
        /// The talk spurt is over.
        case end
    }

    /// The facts that a step depends on.
    package struct Situation: BitwiseCopyable {
        /// The next sample to be appended to the playout buffer.
        package var position: Int64
        /// Samples that the current block still lacks.
        package var wanted: Int
        /// Length of the spurt's frames.
        package var frameSamples: Int
        package var spurt: UInt8
        /// Position at which the spurt ends; nil while it is unknown.
        package var end: Int64?
        /// The frame that sounds at `position`.
        package var covering: JitterBuffer.Waiting?
        /// The first frame that waits behind a gap; nil if none waits, or if a frame sounds at `position` (`covering`).
        package var next: JitterBuffer.Waiting?
        /// Samples concealed since the last frame.
        package var concealed: Int
        /// Samples of silence since concealment ended.
        package var starved: Int
        /// Samples of delay that the playout buffer lacks of its target; negative if it has too much.
        package var playoutDeficit: Int64

        package init(
            position: Int64, wanted: Int, frameSamples: Int, spurt: UInt8, end: Int64?, covering: JitterBuffer.Waiting?,
            next: JitterBuffer.Waiting?, concealed: Int, starved: Int, playoutDeficit: Int64
        ) {
            self.position = position
            self.wanted = wanted
            self.frameSamples = frameSamples
            self.spurt = spurt
            self.end = end
            self.covering = covering
            self.next = next
            self.concealed = concealed
            self.starved = starved
            self.playoutDeficit = playoutDeficit
        }

        /// Smallest number of samples to conceal: 2.5 ms, as codecs require, or a plain frame that is shorter.
        var unit: Int64 { Int64(min(VoiceLimits.codedFrameSamplesMin, max(1, frameSamples))) }
    }

    /// Returns the next step. The checks come in the order of importance.
    @_noAllocation @_noLocks
    package static func step(in s: Situation) -> Step {
        if let end = s.end, end <= s.position { return .end }
        if let frame = s.covering, frame.spurt == s.spurt {
            // Missing delay is inserted between two frames, at most 5 ms at once.
            if frame.start == s.position, s.unit <= s.playoutDeficit {
                return .stretch(Int(min(stretchMax, s.playoutDeficit / s.unit * s.unit)))
            }
            return .play(slot: frame.slot, skipping: Int(s.position - frame.start))
        }
        if let next = s.next ?? s.covering, next.spurt != s.spurt { return .end }
        if VoiceLimits.starvedSamplesMax <= s.starved { return .end }
        let gap = s.next.map { Int(min(Int64(VoiceLimits.frameSamplesMax), $0.start - s.position)) }
        let unit = Int(s.unit)
        let wanted = min(gap ?? .max, (s.wanted + unit - 1) / unit * unit)
        guard s.concealed < VoiceLimits.concealSamplesMax else { return .silence(min(wanted, s.wanted)) }
        // No later frame waits, so the missing frame is probably late and not lost: the missing delay is inserted in
        // its gap.
        if s.next == nil, stretchMin <= s.playoutDeficit { return .stretch(unit) }
        // The codec makes its sound quieter with each step of concealment, and gives up the pitch after five steps. So
        // a lost frame is concealed as a whole, in one step. A frame that may only be late is first concealed for what
        // the block still lacks; after this step it counts as lost.
        let isLost = s.next != nil || 0 < s.concealed
        return .conceal(min(gap ?? VoiceLimits.frameSamplesMax, isLost ? max(wanted, s.frameSamples) : wanted))
    }

    /// Missing delay for which a gap is stretched: 0.5 ms.
    private static let stretchMin: Int64 = 24
    /// 5 ms.
    private static let stretchMax: Int64 = 240
}
