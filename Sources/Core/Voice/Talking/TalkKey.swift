package import Primitives

/// Some of a node's talk keys, one bit each. The first key is bit 0.
package struct KeySet: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// - Precondition: `index` is below `TalkLimits.keysMax`.
    package static func key(_ index: Int) -> KeySet {
        precondition(0 <= index && index < TalkLimits.keysMax, "key \(index)")
        return KeySet(rawValue: 1 << UInt8(index))
    }

    /// The key of a node that has only one.
    package static let first = KeySet(rawValue: 1)
}

/// A talk key that can latch: a tap starts to talk until the next press; a longer press talks while it is held.
///
/// ```
///             press                 release within tapMax, or tap
///  silent ────────────▶ pressed ────────────────────────────────────▶ latched
///    ▲                     │ release later                               │ press
///    ├─────────────────────┘                                             ▼
///    └──────────────────────────── release, tap ──────────────────── ending
/// ```
/// A press in the state `ending` counts as a repeat of the held key. After `TalkLimits.repeatMax` without one it counts
/// as a new press, because the release was lost: it leads to `pressed`.
///
/// The key talks in the states `pressed` and `latched`. The press that ends a latch silences at once, not when it is
/// released. Many terminals report no releases: then the caller sends `tap` when a press was not followed by the
/// repeats of a held key.
package struct SmartKey: Hashable, Sendable {
    /// What happens to the key.
    package enum Event: Hashable, Sendable, CaseIterable {
        case press, release, tap
    }

    private enum State: Hashable, Sendable {
        case silent
        case pressed(since: Instant)
        case latched
        case ending(pressedAt: Instant)
    }

    private var state = State.silent

    package init() {}

    package var isTalking: Bool {
        switch state {
        case .silent, .ending: false
        case .pressed, .latched: true
        }
    }

    /// Whether the key is physically held; false while it is latched.
    package var isHeld: Bool {
        if case .pressed = state { true } else { false }
    }

    /// Whether the key is still held after the press that ended a latch.
    package var isEnding: Bool {
        if case .ending = state { true } else { false }
    }

    /// Advances the state. A release or tap of a key that is up changes nothing.
    package mutating func handle(_ event: Event, now: Instant) {
        switch (state, event) {
        case (.silent, .press): state = .pressed(since: now)
        case (.silent, .release), (.silent, .tap): break
        // A second press without a release is a repeat of a held key, or the release was lost: either way the key is
        // held.
        case (.pressed, .press): break
        case (.pressed(let since), .release): state = now - since <= TalkLimits.tapMax ? .latched : .silent
        case (.pressed, .tap): state = .latched
        case (.latched, .press): state = .ending(pressedAt: now)
        case (.latched, .release), (.latched, .tap): break
        // A desktop repeats the press of a shortcut key while that key is held. A press that comes later than
        // `TalkLimits.repeatMax` after the one before is a new one: the release between them was lost.
        case (.ending(let at), .press):
            state = now - at <= TalkLimits.repeatMax ? .ending(pressedAt: now) : .pressed(since: now)
        case (.ending, .release), (.ending, .tap): state = .silent
        }
    }

    /// Latches the key on request of a command, as after a tap.
    package mutating func latch() { state = .latched }

    /// Silences the key on request of a command, or because its release was lost, even if it is held.
    package mutating func letGo() { state = .silent }
}

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
