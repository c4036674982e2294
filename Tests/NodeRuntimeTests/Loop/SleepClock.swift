import Primitives
import Synchronization

/// Says how long the machine of a node has slept. A test sets it, and the node reads it.
final class SleepClock: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var asleep: Interval { Interval(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    /// As if the machine had slept for `interval` until now.
    func sleep(for interval: Interval) { nanoseconds.wrappingAdd(interval.nanoseconds, ordering: .relaxed) }
}
