import CLinux
package import Primitives

/// Where Core's instants come from: CLOCK_MONOTONIC, which stops while the machine sleeps.
package enum MonotonicClock {
    package static func now() -> Instant { Instant(nanoseconds: linux_monotonic_nanoseconds()) }

    /// How long the machine has slept since it booted: CLOCK_BOOTTIME less CLOCK_MONOTONIC. A rise
    /// between two readings is a suspend, which no timer on the monotonic line can notice.
    package static func asleep() -> Interval { Interval(nanoseconds: linux_asleep_nanoseconds()) }
}
