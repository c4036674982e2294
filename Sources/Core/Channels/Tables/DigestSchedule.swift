import Primitives

/// When a neighbour is sent the digest of a table: at once after a change and a few times more, then seldom.
struct DigestSchedule {
    private(set) var dueAt: Instant = .distantFuture
    private var repeatsLeft = 0

    /// Whether the digest that is due follows a change, and leaves at once.
    private(set) var isUrgent = false

    mutating func change(now: Instant) { (dueAt, repeatsLeft, isUrgent) = (now, TableLimits.digestRepeats, true) }

    mutating func sent(now: Instant) {
        repeatsLeft = max(0, repeatsLeft - 1)
        isUrgent = false
        dueAt = now + (0 < repeatsLeft ? TableLimits.digestRepeatInterval : TableLimits.digestInterval)
    }

    /// Sends no digest until the next change.
    mutating func rest() { dueAt = .distantFuture }
}
