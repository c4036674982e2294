/// Keeps the delay of the side tone small. The capture thread appends the own voice to a queue, and the playback thread
/// plays it from there. This plan shortens the queue to the least that does not run empty.
///
/// ```
///            a period waits (*)           less than a block waits
///  waiting ─────────────────▶ running ──────────────────────────────▶ waiting
///                              │    ▲ fades in
///      `spare` samples were    ▼    │
///      not needed in 100 ms fading ─┘ fades out, then skips `spare` samples
/// ```
/// (*) Or as much as has just come at once, if that is more than a period.
package struct SideToneLine: BitwiseCopyable {
    /// How the next block is made.
    package struct Plan: Hashable, BitwiseCopyable {
        /// Samples of the queue to skip before the block.
        package var skipping: Int
        /// Gain of the side tone at the start and at the end of the block, 0 … 1. If both are 0, no samples are taken
        /// from the queue of the side tone.
        package var from: Float
        package var to: Float
    }

    private enum State: BitwiseCopyable {
        case waiting
        /// `least`: the fewest samples that were left in the queue after a block. `left`: samples until `least` is
        /// judged.
        case running(least: Int, left: Int)
        /// The side tone has faded out; `spare` samples are to be skipped.
        case fading(spare: Int)
    }

    private var state = State.waiting
    /// Samples that the latest plan left in the queue; nil before the first.
    private var leftBehind: Int?

    package init() {}

    /// Decides which samples of the own voice sound in the next block of the output, and with which fade.
    /// - Parameters:
    ///   - waiting: samples of the own voice in the queue.
    ///   - count: samples of the block.
    ///   - period: samples that the capture thread appends at once, as far as is known. It may append more.
    @_noAllocation @_noLocks
    package mutating func plan(waiting: Int, count: Int, period: Int) -> Plan {
        let arrived = min(waiting - (leftBehind ?? waiting), Self.arrivedMax)
        let plan = next(waiting: waiting, count: count, period: max(period, arrived))
        leftBehind = waiting - (plan.from != 0 || plan.to != 0 ? plan.skipping + count : 0)
        return plan
    }

    @_noAllocation @_noLocks
    private mutating func next(waiting: Int, count: Int, period: Int) -> Plan {
        switch state {
        case .waiting:
            guard max(period, count) <= waiting else { return Plan(skipping: 0, from: 0, to: 0) }
            state = Self.fresh
            // Sound that the queue collected before is too old for side tone.
            return Plan(skipping: max(0, waiting - period - count), from: 0, to: 1)
        case .running(let least, let left):
            guard count <= waiting else {
                state = .waiting
                return Plan(skipping: 0, from: 0, to: 0)
            }
            let rest = min(least, waiting - count)
            if left <= count, Self.spareMin + count < rest {
                state = .fading(spare: rest - count)
                return Plan(skipping: 0, from: 1, to: 0)
            }
            let isJudged = left <= count
            state = isJudged ? Self.fresh : .running(least: rest, left: left - count)
            return Plan(skipping: 0, from: 1, to: 1)
        case .fading(let spare):
            guard spare + count <= waiting else {
                state = .waiting
                return Plan(skipping: 0, from: 0, to: 0)
            }
            state = Self.fresh
            return Plan(skipping: spare, from: 0, to: 1)
        }
    }

    private static let fresh = State.running(least: .max, left: judgedSamples)
    /// 100 ms.
    private static let judgedSamples = 4_800
    /// The most samples that are expected to come at once: 20 ms. More have collected while playback stood still.
    private static let arrivedMax = 960
    /// 1.25 ms: a smaller gain is not worth a fade.
    private static let spareMin = 60
}
