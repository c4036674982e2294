package import Primitives

/// Notices that the process or the machine stood still, so that no verdict about a peer is made
/// from our own absence.
///
/// Two kinds: a suspend, which shows as sleep time gained; a stop (SIGSTOP, a stalled virtual
/// machine), which shows as a wake-up far later than asked for.
package struct PauseDetector {
    /// Gaps below this are scheduling, not pauses.
    package static let gapMin = Interval.milliseconds(1_000)

    private var asleepBefore: Interval
    private var expectedAt: Instant?

    package init(asleep: Interval) { asleepBefore = asleep }

    /// Call when arming the loop's timer.
    package mutating func willSleep(until instant: Instant?) { expectedAt = instant }

    /// Call at every wake-up; the gap where there was one.
    package mutating func wake(now: Instant, asleep: Interval) -> Interval? {
        let slept = asleep - asleepBefore
        asleepBefore = asleep
        let late = expectedAt.map { now - $0 } ?? .zero
        expectedAt = nil
        let gap = slept + max(late, .zero)
        return PauseDetector.gapMin <= gap ? gap : nil
    }
}
