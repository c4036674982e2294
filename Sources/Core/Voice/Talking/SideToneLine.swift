/// Keeps the side tone as near as two threads allow: what waits between the microphone and the own
/// output is led to the least that does not run dry.
///
/// ```
///            a period waits               less than a block waits
///  waiting ─────────────────▶ running ──────────────────────────────▶ waiting
///                              │    ▲ fades in
///     in 100 ms never less     ▼    │
///     than spare waited     fading ─┘ fades out, then leaves the spare out
/// ```
package struct SideToneLine: BitwiseCopyable {
    /// What to do with the next block.
    package struct Plan: Hashable, BitwiseCopyable {
        /// Samples to leave out before it.
        package var skipping: Int
        /// How loud it begins and ends, 0 … 1; nothing is taken where both are 0.
        package var from: Float
        package var to: Float
    }

    private enum State: BitwiseCopyable {
        case waiting
        /// The least that waited after a block, and samples until it is judged.
        case running(least: Int, left: Int)
        case fading(spare: Int)
    }

    private var state = State.waiting

    package init() {}

    /// Decides which samples of the own voice sound in the next block of the output, and with which fade.
    /// - Parameters:
    ///   - waiting: samples of the own voice that have come and have not been played.
    ///   - count: samples of the block.
    ///   - period: samples that capture brings at once.
    @_noAllocation @_noLocks
    package mutating func plan(waiting: Int, count: Int, period: Int) -> Plan {
        switch state {
        case .waiting:
            guard max(period, count) <= waiting else { return Plan(skipping: 0, from: 0, to: 0) }
            state = Self.fresh
            // What piled up while nobody listened is no side tone any more.
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
    /// 1.25 ms: less is not worth a fade.
    private static let spareMin = 60
}
