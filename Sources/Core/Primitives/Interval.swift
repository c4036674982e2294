/// A length of time on the node's monotonic line, in nanoseconds; may be negative.
///
/// Core has its own type because the standard library's clocks are banned there, and because
/// 64-bit integers compare the same way on every machine.
package struct Interval: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static let zero = Interval(nanoseconds: 0)

    package static func microseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000) }
    package static func milliseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000) }
    package static func seconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000_000) }

    /// Whole microseconds, rounded towards zero.
    package var microseconds: Int64 { nanoseconds / 1_000 }
    /// Whole milliseconds, rounded towards zero.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    package static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    package static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds + b.nanoseconds)
    }
    package static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
    }
    package static func * (a: Interval, factor: Int64) -> Interval { Interval(nanoseconds: a.nanoseconds * factor) }
    package static func / (a: Interval, divisor: Int64) -> Interval { Interval(nanoseconds: a.nanoseconds / divisor) }
    package static func += (a: inout Interval, b: Interval) { a = a + b }
}

extension Interval: CustomStringConvertible {
    /// Milliseconds with microsecond digits, for traces: `12.345ms`.
    package var description: String {
        let micros = nanoseconds.magnitude / 1_000
        let fraction = String(micros % 1_000)
        let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
        return "\(nanoseconds < 0 ? "-" : "")\(micros / 1_000).\(padded)ms"
    }
}
