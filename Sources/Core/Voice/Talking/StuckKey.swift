package import Primitives

/// Lets go of a talk key that is held longer than anybody talks: a book on the keyboard, a pedal
/// under a chair.
///
/// ```
///          down                   limit passes
///  up ───────────▶ down(since) ─────────────────▶ stuck
///   ▲                 │ up                          │ up
///   └─────────────────┴─────────────────────────────┘
/// ```
/// A stuck key talks again only after it has been up.
package struct StuckKey: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case up
        case down(since: Instant)
        case stuck
    }

    /// Nil for a key that may be held for ever.
    package let limit: Interval?
    private var state = State.up

    package init(limit: Interval?) { self.limit = limit }

    package var isStuck: Bool { state == .stuck }

    /// When the key will be let go.
    package var deadline: Instant? {
        guard case .down(let since) = state, let limit else { return nil }
        return since + limit
    }

    /// Where the key is at `now`; called at every change, and at the deadline.
    package mutating func update(isDown: Bool, now: Instant) {
        switch (state, isDown) {
        case (.up, false): break
        case (.up, true): state = .down(since: now)
        case (.down, false), (.stuck, false): state = .up
        case (.down, true): if let deadline, deadline <= now { state = .stuck }
        case (.stuck, true): break
        }
    }
}
