import NIOCore
package import Primitives

extension Instant {
    /// CLOCK_MONOTONIC now; the clock of NIO's timers. For shells only: Core is told the time.
    package static func monotonicNow() -> Instant {
        Instant(nanoseconds: Int64(bitPattern: NIODeadline.now().uptimeNanoseconds))
    }
}
