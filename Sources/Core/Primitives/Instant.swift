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
