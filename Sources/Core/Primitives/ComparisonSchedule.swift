/// When a node compares with a peer what both should hold alike, because their digests differ: records, or the entries
/// of a table.
///
/// If one comparison does not repair a difference, the next one will hardly do so. So the waits double, up to
/// `intervalMax`, as long as both digests are the same as at the last comparison. Examples: two nodes have the records
/// of different boots with the same instance, and each rejects the other's record; or the wall clocks of two nodes
/// differ by a day, and one of them has dropped an entry that the other still keeps.
package struct ComparisonSchedule: Sendable {
    private struct Digests: Equatable {
        var own: UInt64
        /// Nil if none has come.
        var peer: UInt64?
    }

    /// Shortest interval between two comparisons with one peer.
    package static let interval = Interval.seconds(1)
    /// The longest interval between comparisons that change neither digest.
    package static let intervalMax = Interval.seconds(60)
    /// Doublings of `interval`. 2^6 · 1 s = 64 s exceeds `intervalMax`, so more would change nothing.
    private static let doublingsMax = 6

    package private(set) var dueAt: Instant = .distantFuture
    package private(set) var sentAt: Instant?
    /// Both digests at the last comparison. `vainCount` counts the comparisons in a row before it that had the same
    /// digests.
    private var compared: Digests?
    private var vainCount = 0

    package init() {}

    /// Makes a comparison due now, whatever was compared before.
    package mutating func begin(now: Instant) { dueAt = now }

    /// Makes a comparison due as soon as the interval is over, because the peer holds more than its last answer had
    /// room for.
    package mutating func goOn(now: Instant) { dueAt = max(now, sentAt.map { $0 + Self.interval } ?? now) }

    /// Schedules a comparison, because the peer's digest differs: after `delay`, in which a change that is under way
    /// may arrive. A comparison that is due earlier stays so.
    package mutating func differ(own: UInt64, peer: UInt64?, after delay: Interval, now: Instant) {
        let isVain = compared == Digests(own: own, peer: peer)
        let wait = isVain ? min(Self.interval * (1 << vainCount), Self.intervalMax) : Self.interval
        dueAt = min(dueAt, max(now + delay, sentAt.map { $0 + wait } ?? now))
    }

    package mutating func sent(own: UInt64, peer: UInt64?, now: Instant) {
        let digests = Digests(own: own, peer: peer)
        vainCount = compared == digests ? min(vainCount + 1, Self.doublingsMax) : 0
        (compared, sentAt, dueAt) = (digests, now, .distantFuture)
    }

    /// Makes a comparison due later, because an allowance is spent.
    package mutating func postpone(until instant: Instant) { dueAt = instant }

    /// Cancels the scheduled comparison.
    package mutating func cancel() { dueAt = .distantFuture }
}
