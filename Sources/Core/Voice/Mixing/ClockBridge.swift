/// Brings stereo sound from a thread on one clock to a thread on another, through a queue between them.
///
/// The clocks of two sound cards differ by up to some hundred ppm, so without a bridge the queue would grow or run dry.
/// The bridge looks at the fewest samples that were left in the queue within 0.2 s. It inserts or removes single
/// samples (`RateAdjuster`) until this number is as small as is safe (`leastWanted`). So the delay does not wander. It
/// covers the unevenness of both threads, and the lateness of the writing thread that is to be bridged.
///
/// ```
///             enough waits: fades in               the queue ran dry: silence
///  waiting ───────────────────────────▶ running ──────────────────────────────▶ waiting
///             skips the surplus                    20 ms too many: fades out
/// ```
/// For each block: `plan` says how many samples to skip and to take; the caller copies those to take to `left` and
/// `right`; `render` makes the block of them.
package struct ClockBridge: ~Copyable {
    /// Which samples of the queue make the next block.
    package struct Plan: Hashable, BitwiseCopyable {
        /// Samples to drop first.
        package var skipping: Int
        /// Samples to take. If there are none, the block is silent.
        package var taking: Int

        /// A silent block, which takes nothing.
        package static let silence = Plan(skipping: 0, taking: 0)
    }

    private enum State: BitwiseCopyable {
        case waiting
        /// `least`: the fewest samples that were left in the queue after a block, in the present 0.2 s. `left`: samples
        /// until these 0.2 s end. `owed`: samples that are still to be removed from the sound in these 0.2 s, one after
        /// the other; if negative, samples that are still to be inserted.
        case running(least: Int, left: Int, owed: Int)
    }

    private let samples: UnsafeMutablePointer<Float>
    private var state = State.waiting
    private var adjusters = (RateAdjuster(), RateAdjuster())
    /// Samples of each side that were taken and are not used up.
    private var held = 0
    private var fadesIn = false
    private var fadesOut = false
    /// The most samples that came between two blocks (`noteArrived`), since this number was last set to 0. It is set to
    /// 0 when the queue runs dry, and at the end of each 0.2 s of running, unless more samples are then left than
    /// `surplusMax` allows.
    private var arrivedMax = 0
    /// Samples that were left in the queue after the latest block; nil before the first.
    private var leftBehind: Int?

    package init() {
        samples = .allocate(capacity: 4 * Self.capacity)
        samples.initialize(repeating: 0, count: 4 * Self.capacity)
    }

    deinit { samples.deallocate() }

    /// The places for the samples that `plan` takes.
    package var left: UnsafeMutablePointer<Float> { samples + RateAdjuster.history + held }
    package var right: UnsafeMutablePointer<Float> { left + Self.capacity }

    /// Decides which samples make the next block of `count` samples, when `waiting` samples are in the queue.
    /// - Parameter reserve: the writing thread may be late by this many samples without a gap. Bounded to 1 … 20 ms.
    package mutating func plan(waiting: Int, count: Int, reserve: Int) -> Plan {
        precondition(count <= Self.countMax, "a block of \(count)")
        let leastWanted = Self.leastWanted(count, reserve: reserve)
        if let leftBehind { noteArrived(waiting - leftBehind) }
        switch state {
        case .waiting:
            let enough = count + max(Self.startMargin, leastWanted - count) + arrivedMax
            leftBehind = waiting
            guard enough <= waiting else { return .silence }
            begin()
            let plan = Plan(skipping: waiting - enough, taking: count + 1)
            leftBehind = enough - plan.taking
            return plan
        case .running(let least, let left, var owed):
            if owed != 0, !adjusters.0.isRunning {
                let direction: RateAdjuster.Direction = 0 < owed ? .faster : .slower
                adjusters.0.start(direction)
                adjusters.1.start(direction)
                owed -= owed.signum()
            }
            // The adjuster may read one sample more than it uses up.
            let taking = adjusters.0.inputCount(for: count) + 1 - held
            guard taking <= waiting else {
                (state, arrivedMax, leftBehind) = (.waiting, 0, waiting)
                return .silence
            }
            let after = waiting - taking
            leftBehind = after
            let fewest = min(least, after)
            if 0 < left - count {
                state = .running(least: fewest, left: left - count, owed: owed)
            } else if Self.surplusMax < fewest - leastWanted {
                // The reading thread stood still. To remove the surplus by single samples would take ten seconds or
                // more, so the sound fades out, and the surplus is skipped when the sound begins again.
                (state, fadesOut) = (.waiting, true)
            } else {
                state = .running(least: .max, left: Self.judgedSamples, owed: (fewest - leastWanted) / 2)
                arrivedMax = 0
            }
            return Plan(skipping: 0, taking: taking)
        }
    }

    /// Makes a block of `count` samples of each channel, interleaved, from the samples of the plan.
    /// - Parameter channels: 1 for the mean of both sides, or more for left and right in turn.
    package mutating func render(
        _ plan: Plan, into output: UnsafeMutablePointer<Float>, count: Int, channels: Int
    ) {
        guard plan.taking != 0 else { return Samples.silence(output, count: count * channels) }
        let (first, second) = (samples + 2 * Self.capacity, samples + 3 * Self.capacity)
        let there = held + plan.taking
        let used = adjusters.0.run(samples + RateAdjuster.history, into: first, count: count)
        _ = adjusters.1.run(samples + Self.capacity + RateAdjuster.history, into: second, count: count)
        held = there - used
        let kept = RateAdjuster.history + held
        Samples.copy(samples + used, to: samples, count: kept)
        Samples.copy(samples + Self.capacity + used, to: samples + Self.capacity, count: kept)
        if fadesIn {
            Ramp.apply(to: first, count: count, from: 0, to: 1)
            Ramp.apply(to: second, count: count, from: 0, to: 1)
            fadesIn = false
        }
        if fadesOut {
            Ramp.apply(to: first, count: count, from: 1, to: 0)
            Ramp.apply(to: second, count: count, from: 1, to: 0)
            fadesOut = false
        }
        guard channels == 1 else {
            return MixKernels.interleave(first, second, count: count, into: output, channels: channels)
        }
        for index in 0..<count { output[index] = 0.5 * (first[index] + second[index]) }
    }

    /// Counts the samples that came between two blocks. While the sound runs, more than the longest block means that
    /// the reading thread stood still. Such a number says nothing about the writing thread, so it is left out. With it,
    /// `plan` would wait for more samples than necessary before the sound begins again after a gap.
    private mutating func noteArrived(_ arrived: Int) {
        if case .running = state, Self.countMax < arrived { return }
        arrivedMax = min(max(arrivedMax, arrived), Self.countMax)
    }

    private mutating func begin() {
        state = .running(least: .max, left: Self.judgedSamples, owed: 0)
        adjusters = (RateAdjuster(), RateAdjuster())
        (held, fadesIn) = (0, true)
        Samples.silence(samples, count: RateAdjuster.history)
        Samples.silence(samples + Self.capacity, count: RateAdjuster.history)
    }

    /// The fewest samples that should be left in the queue after a block of `count` samples: one block and the reserve.
    /// Because the two clocks differ, the instant of a write slowly moves from just before a read to just after it.
    /// From then on, the queue holds one block less at each read. The block that is left makes up for that.
    package static func leastWanted(_ count: Int, reserve: Int) -> Int {
        count + min(max(reserve, reserveMin), countMax)
    }
    /// 1 ms.
    private static let reserveMin = 48
    /// The reserve for the lateness of the writing thread has at least this many samples when the sound begins: 5 ms.
    private static let startMargin = 240
    /// Samples too many that are skipped at once: 20 ms.
    private static let surplusMax = 960
    /// 0.2 s.
    private static let judgedSamples = 9_600
    /// The longest block: 20 ms.
    package static let countMax = 960
    /// The size of each of the four buffers in `samples`: the longest block, the samples before it that `RateAdjuster`
    /// reads (`history`), one more for each 512 samples of the block, and those that are read ahead.
    private static let capacity = countMax + RateAdjuster.history + countMax / 512 + 4
}
