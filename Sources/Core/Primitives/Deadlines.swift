/// A deadline and why it was set, so that a wake-up can always be explained.
package struct Deadline<Reason: Sendable & Hashable>: Hashable, Sendable {
    package var at: Instant
    package var reason: Reason

    package init(at: Instant, reason: Reason) {
        self.at = at
        self.reason = reason
    }
}

/// A fixed table of optional deadlines, one for each case of a timer enum.
///
/// After the timer table of quinn-proto (`connection/timer.rs`): the enum is the complete list of
/// what a machine can wait for, and walking it in declaration order keeps expiry deterministic.
package struct Deadlines<Timer: CaseIterable & Hashable & Sendable>: Sendable
where Timer: RawRepresentable, Timer.RawValue == Int {
    private var at: [Instant]

    package init() {
        at = Array(repeating: .distantFuture, count: Timer.allCases.count)
    }

    package mutating func arm(_ timer: Timer, at instant: Instant) { at[timer.rawValue] = instant }
    package mutating func cancel(_ timer: Timer) { at[timer.rawValue] = .distantFuture }

    package mutating func cancelAll() {
        for index in at.indices { at[index] = .distantFuture }
    }

    /// When `timer` is due, or nil where it is not armed.
    package subscript(timer: Timer) -> Instant? {
        at[timer.rawValue] == .distantFuture ? nil : at[timer.rawValue]
    }

    /// The earliest armed deadline; ties go to the timer declared first.
    package var next: Deadline<Timer>? {
        var best: Deadline<Timer>?
        for timer in Timer.allCases where at[timer.rawValue] < (best?.at ?? .distantFuture) {
            best = Deadline(at: at[timer.rawValue], reason: timer)
        }
        return best
    }

    /// Takes the earliest timer that is due at `now`, disarming it; call until nil.
    package mutating func expire(now: Instant) -> Timer? {
        guard let due = next, due.at <= now else { return nil }
        cancel(due.reason)
        return due.reason
    }
}
