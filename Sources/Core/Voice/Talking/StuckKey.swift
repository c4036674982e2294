package import Primitives

/// Detects a talk key that is stuck: held longer than anybody talks, for example by a book on the keyboard or a chair
/// on the pedal.
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

    /// Longest time that the key may be held; nil for no limit.
    package let limit: Interval?
    private var state = State.up

    package init(limit: Interval?) { self.limit = limit }

    package var isStuck: Bool { state == .stuck }

    /// The instant at which the key will count as stuck; nil if it is not down, or has no limit.
    package var deadline: Instant? {
        guard case .down(let since) = state, let limit else { return nil }
        return since + limit
    }

    /// Takes the position of the key at `now`; to be called at every change, and at the deadline.
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
