package import Primitives

/// Notices that the process or the machine stood still, so that this node's own absence leads to no verdict about a
/// peer.
///
/// There are two kinds of pause. After a suspend, the clock that counts sleep has gained on the one that does not.
/// After a stop (SIGSTOP, a stalled virtual machine), the wake-up comes far later than asked for.
package struct PauseDetector {
    /// A pause that has ended.
    package struct Pause: Hashable, Sendable {
        /// The time in which this node did nothing.
        package let gap: Interval
        /// The part of it in which the machine was asleep, and the clock of the node stood still.
        package let slept: Interval

        package init(gap: Interval, slept: Interval) { (self.gap, self.slept) = (gap, slept) }

        /// Whether a talk key that was pressed before is up now: nobody may be at the microphone any more. A loaded
        /// machine stands still for a second or two while a person speaks, so a pause without sleep must be longer.
        package var releasesKeys: Bool { PauseDetector.gapMin <= slept || PauseDetector.keysHeldMax <= gap }
    }

    /// Shorter gaps come from scheduling and do not count as pauses.
    package static let gapMin = Interval.milliseconds(1_000)
    /// A stop of five seconds, as after Ctrl-Z, releases the keys; peers take the node for dead a second later. The gap
    /// is up to half a second shorter than the stop, because it counts from the timer.
    package static let keysHeldMax = Interval.milliseconds(4_500)

    private var asleepBefore: Interval
    /// When the timer of the loop is due; nil before it is set for the first time.
    private var expectedAt: Instant?

    package init(asleep: Interval) { asleepBefore = asleep }

    /// Call it when the timer of the loop is set.
    package mutating func willSleep(until instant: Instant) { expectedAt = instant }

    /// Call it before anything is handled, and when the timer fires. Returns the pause if there was one, once. Before
    /// the timer is set for the first time it returns nil.
    package mutating func wake(now: Instant, asleep: Interval) -> Pause? {
        guard let due = expectedAt else { return nil }
        // `asleep` is the difference of two clocks, which are read one after the other. If the process stands still
        // between the two readings, the difference is too small once. The two `max` keep the next, correct one from
        // counting as a sleep.
        let slept = max(asleep - asleepBefore, .zero)
        asleepBefore = max(asleep, asleepBefore)
        let gap = slept + max(now - due, .zero)
        guard PauseDetector.gapMin <= gap else { return nil }
        expectedAt = max(due, now)
        return Pause(gap: gap, slept: slept)
    }
}
