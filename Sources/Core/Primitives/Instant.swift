/// A point on the node's own monotonic line (CLOCK_MONOTONIC), in nanoseconds.
///
/// There is no `now`: the shell reads the clock and passes the instant in. Instants of different
/// nodes are never compared.
package struct Instant: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Instant(nanoseconds: 0)
    /// Later than every deadline that can be armed.
    package static let distantFuture = Instant(nanoseconds: .max)

    package static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Instant, b: Interval) -> Instant { Instant(nanoseconds: a.nanoseconds + b.nanoseconds) }
    package static func - (a: Instant, b: Interval) -> Instant { Instant(nanoseconds: a.nanoseconds - b.nanoseconds) }
    package static func - (a: Instant, b: Instant) -> Interval { Interval(nanoseconds: a.nanoseconds - b.nanoseconds) }
    package static func += (a: inout Instant, b: Interval) { a = a + b }
}

extension Instant: CustomStringConvertible {
    package var description: String { Interval(nanoseconds: nanoseconds).description }
}
