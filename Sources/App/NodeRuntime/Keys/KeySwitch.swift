import Primitives
import Voice

/// One talk key in its mode, with the guard against a key that is never released.
///
/// ```
///            on, toggle, hold, press             off, toggle, hold over, release
///   silent ──────────────────────────▶ talking ─────────────────────────────────▶ silent
///                                       │   ▲ hold again: later end
///                                       └───┘
/// ```
/// In open and vox mode the key starts down. `SmartKey` is the machine of the smart key, `StuckKey` that of the guard.
/// The guard ignores a key that is latched, open or voice-operated.
///
/// A hold that follows the press of a smart key bounds that press: if no other hold follows, its release was lost with
/// the program that pressed the key, and the key is let go.
package struct KeySwitch {
    private enum State {
        case silent
        /// `until` is nil if only an order ends it.
        case talking(until: Instant?)
    }

    /// The mode of the key. A key in another mode is another value (`TalkSwitch.change`).
    package let mode: TalkMode
    private var state: State
    private var smart = SmartKey()
    private var stuck: StuckKey

    /// - Parameters:
    ///   - limit: the longest time that the key may be held; nil for no limit.
    ///   - isOff: whether a person has switched off a key that else starts down.
    init(mode: TalkMode, limit: Interval?, isOff: Bool = false) {
        self.mode = mode
        state = KeySwitch.startsDown(mode) && !isOff ? .talking(until: nil) : .silent
        stuck = StuckKey(limit: limit)
    }

    /// Whether a key in this mode is down without a finger.
    static func startsDown(_ mode: TalkMode) -> Bool { mode == .open || mode == .vox }

    /// Whether the key was held for too long. It is then ignored until it has been released.
    package var isStuck: Bool { stuck.isStuck }

    /// Whether the key is down, and not ignored. A voice-operated key that is down talks only while a voice is heard.
    package var isDown: Bool { isPressed && !isStuck }

    /// The next instant at which a hold or the limit of the key ends; nil if there is none.
    var releasesAt: Instant? {
        var earliest = stuck.deadline ?? .distantFuture
        if case .talking(let until?) = state { earliest = min(earliest, until) }
        return earliest == .distantFuture ? nil : earliest
    }

    /// Carries out an order. Those for the cough switch do not concern a key.
    mutating func perform(_ order: TalkOrder, now: Instant) {
        switch order {
        case .on: set(true)
        case .off: set(false)
        case .toggle: set(!isPressed)
        case .hold(let seconds): hold(until: now + Interval(nanoseconds: Int64(seconds * 1e9)))
        case .press: press(now: now)
        case .release: release(now: now)
        case .tap: if mode == .smart { lift(.tap, now: now) }
        case .cough, .uncough: break
        }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Ends the hold whose time is over at `now`, and updates the guard.
    mutating func expire(now: Instant) {
        if case .talking(let until?) = state, until <= now {
            state = .silent
            if smart.isHeld { smart.letGo() }
        }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Whether a person or the mode of the key has switched it on, also if it is stuck.
    package var isPressed: Bool {
        if case .talking = state { return true }
        return smart.isTalking
    }

    /// Whether the key is held down, as far as the orders show.
    private var isHeld: Bool {
        switch (mode, state) {
        case (.ptt, .talking), (.smart, .talking): true
        case (.smart, .silent): smart.isHeld
        default: false
        }
    }

    private mutating func set(_ isOn: Bool) {
        state = isOn && mode != .smart ? .talking(until: nil) : .silent
        if isOn && mode == .smart { smart.latch() } else { smart.letGo() }
    }

    private mutating func hold(until end: Instant) {
        // A latched key stays latched: a short hold must not end it.
        if case .talking(until: nil) = state { return }
        // The press that ended a latch silences the key for as long as it is held.
        guard !smart.isEnding else { return }
        state = .talking(until: end)
    }

    private mutating func press(now: Instant) {
        switch mode {
        case .ptt: state = .talking(until: nil)
        case .latch: set(!isPressed)
        case .smart: smart.handle(.press, now: now)
        case .open, .vox: break
        }
    }

    private mutating func release(now: Instant) {
        switch mode {
        case .ptt: state = .silent
        case .smart: lift(.release, now: now)
        case .latch, .open, .vox: break
        }
    }

    /// The finger has left a smart key: the holds of the press end with it.
    private mutating func lift(_ event: SmartKey.Event, now: Instant) {
        state = .silent
        smart.handle(event, now: now)
    }
}
