/// A length of time in nanoseconds; may be negative.
///
/// Core has a type of its own because the clocks of the standard library are banned there, and because a 64-bit integer
/// is enough.
public struct Interval: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static var zero: Interval { Interval(nanoseconds: 0) }

    public static func microseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000) }
    public static func milliseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000) }
    public static func seconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000_000) }

    /// Whole microseconds, rounded towards zero.
    public var microseconds: Int64 { nanoseconds / 1_000 }
    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    public static func < (a: Interval, b: Interval) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func + (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds + b.nanoseconds)
    }
    public static func - (a: Interval, b: Interval) -> Interval {
        Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
    }
    public static func * (a: Interval, factor: Int64) -> Interval { Interval(nanoseconds: a.nanoseconds * factor) }
    public static func / (a: Interval, divisor: Int64) -> Interval { Interval(nanoseconds: a.nanoseconds / divisor) }
    public static func += (a: inout Interval, b: Interval) { a = a + b }
}

extension Interval: CustomStringConvertible {
    /// Milliseconds with three decimals, for traces: `12.345ms`.
    public var description: String {
        let micros = nanoseconds.magnitude / 1_000
        let fraction = String(micros % 1_000)
        let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
        return "\(nanoseconds < 0 ? "-" : "")\(micros / 1_000).\(padded)ms"
    }
}
