package import Primitives

/// Limits of a generation of media keys (docs/WIRE.md, "Media keys"). 120 s and 180 s are WireGuard's REKEY_AFTER_TIME
/// and REJECT_AFTER_TIME.
package enum MediaKeyLimits {
    /// Datagrams that a generation seals at most. Its counter then fits into three bytes.
    package static let packetsMax: UInt64 = 1 << 24
    /// The next generation is started when this number of datagrams is left.
    package static let rekeyPacketsLeft: UInt64 = 1 << 20
    /// Age at which a generation should have been replaced.
    package static let generationAge = Interval.seconds(120)
    /// The next generation is started this long before `generationAge`.
    package static let rekeyMargin = Interval.seconds(10)
    /// Age at which a generation is deleted, even if it was not replaced.
    package static let generationLifetime = Interval.seconds(180)
    /// Time for which a replaced generation still opens datagrams that are on their way.
    package static let retiredLifetime = Interval.seconds(5)
    /// Generations of a session at once: one that seals, one that waits, and two retired.
    package static let generationsMax = 4
    /// Size of the replay window: a datagram whose counter is further below the newest is refused.
    package static let replayWindowPackets = 1_024
}
