package import Primitives

/// A talk key that can latch: a tap starts to talk until the next press; a longer press talks while it is held.
///
/// ```
///             press                 release within tapMax, or tap
///  silent ────────────▶ pressed ────────────────────────────────────▶ latched
///    ▲                     │ release later                               │ press
///    ├─────────────────────┘                                             ▼
///    └──────────────────────────── release, tap ──────────────────── ending
/// ```
/// A press in the state `ending` is a repeat, or a new one if the release was lost: that leads to `pressed`.
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
        // A second press without a release: the release was lost, and the key is held.
        case (.pressed, .press): break
        case (.pressed(let since), .release): state = now - since <= TalkLimits.tapMax ? .latched : .silent
        case (.pressed, .tap): state = .latched
        case (.latched, .press): state = .ending(pressedAt: now)
        case (.latched, .release), (.latched, .tap): break
        // A key of a desktop repeats its press while it is held. After a longer pause the release was lost.
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
