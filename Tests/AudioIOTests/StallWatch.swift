import Dispatch
import Glibc
import Primitives
import Synchronization
import SystemClock

/// Measures how long the machine delays a thread that wants to run every 2 ms.
final class StallWatch: Sendable {
    private struct Seen {
        var last: Instant
        var longest = Interval.zero
        var isEnded = false
    }

    private let seen = Mutex(Seen(last: .monotonicNow()))

    init() {
        DispatchQueue(label: "stall watch").async { [self] in
            while isGoingOn() { usleep(2_000) }
        }
    }

    /// The longest stall until now, including one that has not ended.
    var longest: Interval {
        seen.withLock { max($0.longest, .monotonicNow() - $0.last) }
    }

    /// Ends the thread. Without this call the watch lives for ever.
    func end() {
        seen.withLock { $0.isEnded = true }
    }

    private func isGoingOn() -> Bool {
        seen.withLock { seen in
            let now = Instant.monotonicNow()
            seen.longest = max(seen.longest, now - seen.last)
            seen.last = now
            return !seen.isEnded
        }
    }
}
