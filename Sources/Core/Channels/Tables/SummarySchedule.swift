import Primitives

/// When this node sends its summary to a neighbour whose digest differs.
///
/// If one comparison does not repair a difference, the next one will hardly do so. So the waits double, up to
/// `TableLimits.summaryIntervalMax`, as long as both digests are the same as at the last comparison. Example: the wall
/// clocks of two nodes differ by a day, and one of them has dropped an entry that the other still keeps.
struct SummarySchedule {
    private struct Digests: Equatable {
        var own: UInt64
        var theirs: UInt64
    }

    private(set) var dueAt: Instant = .distantFuture
    private var sentAt: Instant?
    /// Both digests at the last comparison. `vainCount` counts the comparisons in a row before it that had the same
    /// digests.
    private var compared: Digests?
    private var vainCount = 0

    /// Schedules a summary, because the neighbour's digest differs. A summary that is scheduled already stays so.
    mutating func differ(own: UInt64, theirs: UInt64, rtt: Interval, now: Instant) {
        guard dueAt == .distantFuture else { return }
        let isVain = compared == Digests(own: own, theirs: theirs)
        let wait = isVain ? TableLimits.summaryInterval * (1 << vainCount) : TableLimits.summaryInterval
        let earliest = sentAt.map { $0 + min(wait, TableLimits.summaryIntervalMax) } ?? now
        dueAt = max(now + rtt + TableLimits.differenceMin, earliest)
    }

    /// Schedules a summary, because the neighbour has more entries than its last answer held.
    mutating func goOn(now: Instant) { dueAt = max(now, sentAt.map { $0 + TableLimits.summaryInterval } ?? now) }

    mutating func sent(own: UInt64, theirs: UInt64, now: Instant) {
        let digests = Digests(own: own, theirs: theirs)
        vainCount = compared == digests ? min(vainCount + 1, TableLimits.summaryDoublingsMax) : 0
        (compared, sentAt, dueAt) = (digests, now, .distantFuture)
    }

    mutating func cancel() { dueAt = .distantFuture }
}
