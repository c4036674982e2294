import NIOCore
import Primitives
import SystemClock

/// The timer of a loop for its earliest deadline.
///
/// Nearly every datagram moves a deadline to a later time. So a timer for an earlier instant stays: it finds nothing
/// due, and then the next one is set.
struct WakeUp {
    private var timer: (scheduled: Scheduled<Void>, at: Instant)?

    /// Sets the timer for `deadline`, `.distantFuture` for none.
    /// - Parameter wake: what the timer does. It first calls `forget`.
    mutating func set(for deadline: Instant, on loop: any EventLoop, _ wake: @escaping @Sendable () -> Void) {
        if let timer, timer.at <= deadline { return }
        cancel()
        guard deadline != .distantFuture else { return }
        let delay = max(Interval.zero, deadline - .monotonicNow())
        timer = (loop.scheduleTask(in: .nanoseconds(delay.nanoseconds), wake), deadline)
    }

    /// The timer has fired.
    mutating func forget() { timer = nil }

    mutating func cancel() {
        timer?.scheduled.cancel()
        timer = nil
    }
}
