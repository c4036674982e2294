/// A point in time on this host's CLOCK_MONOTONIC, in nanoseconds.
///
/// There is no `now`: the shell reads the clock and passes the instant in. Instants of different
/// nodes are never compared.
///
/// It is public, as are all small types of this module: Swift 6.3 inlines public declarations into other modules, but
/// not `package` ones, and these types are used many times for each packet.
public struct Instant: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static var zero: Instant { Instant(nanoseconds: 0) }
    /// Later than every deadline.
    public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func + (a: Instant, b: Interval) -> Instant { Instant(nanoseconds: a.nanoseconds + b.nanoseconds) }
    public static func - (a: Instant, b: Interval) -> Instant { Instant(nanoseconds: a.nanoseconds - b.nanoseconds) }
    public static func - (a: Instant, b: Instant) -> Interval { Interval(nanoseconds: a.nanoseconds - b.nanoseconds) }
    public static func += (a: inout Instant, b: Interval) { a = a + b }
}

extension Instant: CustomStringConvertible {
    public var description: String { Interval(nanoseconds: nanoseconds).description }
}

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
