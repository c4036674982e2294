import CLinux
package import Primitives

// The only place where the clock is read. All instants of the node are of CLOCK_MONOTONIC, which stops while the
// machine is suspended. Core reads no clock: its shells pass the time in.

extension Instant {
    /// Reads CLOCK_MONOTONIC, which NIO's timers use too. It is the same for all processes of a machine.
    package static func monotonicNow() -> Instant { Instant(nanoseconds: linux_monotonic_nanoseconds()) }
}

extension Interval {
    /// The time for which the machine has been suspended since it booted: CLOCK_BOOTTIME less CLOCK_MONOTONIC. If it
    /// has risen between two calls, the machine was suspended; timers of CLOCK_MONOTONIC do not show that.
    package static func asleepSinceBoot() -> Interval { Interval(nanoseconds: linux_asleep_nanoseconds()) }
}

/// Blocks the thread until `instant` has passed. A signal does not end the sleep.
package func sleep(until instant: Instant) { linux_sleep_until_nanoseconds(instant.nanoseconds) }

/// Blocks the thread for `interval` or a little longer.
package func sleep(for interval: Interval) { sleep(until: .monotonicNow() + interval) }
