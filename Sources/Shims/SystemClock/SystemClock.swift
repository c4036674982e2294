import CLinux
package import Primitives

// The one place where the clock is read. Everything in the node that is an instant comes from
// CLOCK_MONOTONIC, which stops while the machine sleeps; Core is told the time by its shells.

extension Instant {
    /// CLOCK_MONOTONIC now: the clock of NIO's timers too, and the same for all processes of a machine.
    package static func monotonicNow() -> Instant { Instant(nanoseconds: linux_monotonic_nanoseconds()) }
}

extension Interval {
    /// How long the machine has slept since it booted: CLOCK_BOOTTIME less CLOCK_MONOTONIC. A rise
    /// between two readings is a suspend, which no timer on the monotonic line can notice.
    package static func asleepSinceBoot() -> Interval { Interval(nanoseconds: linux_asleep_nanoseconds()) }
}

/// Returns at `instant` or later, at once where that has passed; signals do not cut it short.
package func sleep(until instant: Instant) { linux_sleep_until_nanoseconds(instant.nanoseconds) }

/// Returns after `interval` or later.
package func sleep(for interval: Interval) { sleep(until: .monotonicNow() + interval) }
