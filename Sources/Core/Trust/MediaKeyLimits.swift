package import Primitives

/// Bounds of a generation of media keys (docs/WIRE.md, "Media keys"); times as in WireGuard's
/// REKEY_AFTER_TIME and REJECT_AFTER_TIME.
package enum MediaKeyLimits {
    /// A generation seals at most this many datagrams; the counter then never needs a fourth byte.
    package static let packetsMax: UInt64 = 1 << 24
    /// A new generation is wanted this many datagrams before the end.
    package static let rekeyPacketsLeft: UInt64 = 1 << 20
    /// The age at which a generation should have been replaced.
    package static let generationAge = Interval.seconds(120)
    /// A new generation is wanted this long before that age.
    package static let rekeyMargin = Interval.seconds(10)
    /// The age at which a generation dies, replaced or not.
    package static let generationLifetime = Interval.seconds(180)
    /// How long a replaced generation opens what is still on its way.
    package static let retiredLifetime = Interval.seconds(5)
    /// Generations that a session holds at once: one that seals, one that waits, two retired.
    package static let generationsMax = 4
    /// Counters below the newest that can still be opened.
    package static let replayWindowPackets = 1_024
}
