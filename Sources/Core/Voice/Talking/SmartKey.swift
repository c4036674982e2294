package import Primitives

/// One key that both latches and holds: a tap stays, a longer press lasts as long as it is pressed.
///
/// ```
///             press                 release within tapMax, or tap
///  silent ────────────▶ pressed ────────────────────────────────────▶ latched
///    ▲                     │ release later                               │ press
///    ├─────────────────────┘                                             ▼
///    └──────────────────────────── release, tap ──────────────────── ending
/// ```
/// It talks while pressed and latched. The press that ends a latch does so at once, not at its
/// release: who wants silence wants it now. A keyboard that knows no releases says `tap` when it
/// has waited for repeats in vain.
package struct SmartKey: Hashable, Sendable {
    /// What happens to the key.
    package enum Event: Hashable, Sendable, CaseIterable {
        case press, release, tap
    }

    private enum State: Hashable, Sendable {
        case silent
        case pressed(since: Instant)
        case latched
        case ending
    }

    private var state = State.silent

    package init() {}

    package var isTalking: Bool {
        switch state {
        case .silent, .ending: false
        case .pressed, .latched: true
        }
    }

    /// Whether a finger is on it; a latch is no finger.
    package var isHeld: Bool {
        if case .pressed = state { true } else { false }
    }

    /// A release or tap of a key that is up changes nothing.
    package mutating func handle(_ event: Event, now: Instant) {
        switch (state, event) {
        case (.silent, .press): state = .pressed(since: now)
        case (.silent, .release), (.silent, .tap): break
        // A second press without a release: the release was lost, the finger is there.
        case (.pressed, .press): break
        case (.pressed(let since), .release): state = now - since <= TalkLimits.tapMax ? .latched : .silent
        case (.pressed, .tap): state = .latched
        case (.latched, .press): state = .ending
        case (.latched, .release), (.latched, .tap): break
        case (.ending, .press): break
        case (.ending, .release), (.ending, .tap): state = .silent
        }
    }

    /// From outside: talk on, as after a tap.
    package mutating func latch() { state = .latched }

    /// From outside, or because it was stuck: silent, whatever finger is on it.
    package mutating func letGo() { state = .silent }
}
