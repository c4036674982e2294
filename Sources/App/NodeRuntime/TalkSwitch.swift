package import ControlPlane
package import Primitives

/// Whether voice leaves this node, as a value: the key in its three modes.
///
/// ```
///            on, toggle, hold                    off, toggle, hold over
///   silent ────────────────────▶ talking ────────────────────────────▶ silent
///                                 │   ▲ hold again: later end
///                                 └───┘
/// ```
/// In open mode the switch starts on; `off` is then a cough key.
package struct TalkSwitch {
    private enum State {
        case silent
        /// `until` is nil where only a person's act ends it.
        case talking(until: Instant?)
    }

    package let mode: TalkMode
    private var state: State

    package init(mode: TalkMode) {
        self.mode = mode
        state = mode == .open ? .talking(until: nil) : .silent
    }

    package var isTalking: Bool {
        switch state {
        case .silent: false
        case .talking: true
        }
    }

    /// When a held key falls back by itself.
    package var releasesAt: Instant? {
        switch state {
        case .silent, .talking(until: nil): nil
        case .talking(let until?): until
        }
    }

    package mutating func obey(_ order: TalkOrder, now: Instant) {
        switch order {
        case .on: state = .talking(until: nil)
        case .off: state = .silent
        case .toggle: state = isTalking ? .silent : .talking(until: nil)
        case .hold(let seconds):
            // A latched key stays latched: a short hold must not end it.
            if case .talking(until: nil) = state { return }
            state = .talking(until: now + Interval(nanoseconds: Int64(seconds * 1e9)))
        }
    }

    package mutating func expire(now: Instant) {
        if let releasesAt, releasesAt <= now { state = .silent }
    }
}
