package import Primitives

/// Notices that the process or the machine stood still, so that this node's own absence leads to no verdict about a
/// peer.
///
/// There are two kinds of pause. After a suspend, the clock that counts sleep has gained on the one that does not.
/// After a stop (SIGSTOP, a stalled virtual machine), the wake-up comes far later than asked for.
package struct PauseDetector {
    /// Shorter gaps come from scheduling and do not count as pauses.
    package static let gapMin = Interval.milliseconds(1_000)

    private var asleepBefore: Interval
    private var expectedAt: Instant?

    package init(asleep: Interval) { asleepBefore = asleep }

    /// Call it when the timer of the loop is set.
    package mutating func willSleep(until instant: Instant?) { expectedAt = instant }

    /// Call it at every wake-up. Returns the length of the pause if there was one.
    package mutating func wake(now: Instant, asleep: Interval) -> Interval? {
        let slept = asleep - asleepBefore
        asleepBefore = asleep
        let late = expectedAt.map { now - $0 } ?? .zero
        expectedAt = nil
        let gap = slept + max(late, .zero)
        return PauseDetector.gapMin <= gap ? gap : nil
    }
}
