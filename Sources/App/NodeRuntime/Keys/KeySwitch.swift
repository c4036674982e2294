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
/// A key that is silenced while a program holds it becomes `closed`: the repeats of that hold do not open it. A hold
/// after a pause opens it, and so does every other order that opens a silent key.
///
/// In open and vox mode the key starts down. `SmartKey` is the machine of the smart key, `StuckKey` that of the guard.
/// The guard ignores a key that is latched, open or voice-operated.
///
/// A hold that follows the press of a smart key bounds that press. If no other hold follows, the program that pressed
/// the key has ended without a release, and the key is let go.
package struct KeySwitch {
    private enum State {
        case silent
        /// `until` is nil if only an order ends it.
        case talking(until: Instant?)
        /// A hold before `until` is a repeat.
        case closed(until: Instant)
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
        state = mode.isDownByItself && !isOff ? .talking(until: nil) : .silent
        stuck = StuckKey(limit: limit)
    }

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
        case .on: set(true, now: now)
        case .off: set(false, now: now)
        case .toggle: set(!isPressed, now: now)
        case .hold(let seconds): hold(for: Interval(nanoseconds: Int64(seconds * 1e9)), now: now)
        case .press: press(now: now)
        case .release: release(now: now)
        case .tap: if mode == .smart { lift(.tap, now: now) }
        case .cough, .uncough: break
        }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Silences the key. A program that holds it does not open it again by repeating its hold.
    mutating func close(now: Instant) {
        let repeatEnd = now + TalkLimits.repeatMax
        switch state {
        case .talking(let until?): state = .closed(until: min(until, repeatEnd))
        case .silent, .talking: state = isSmartDown ? .closed(until: repeatEnd) : .silent
        case .closed: break
        }
        smart.letGo()
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

    private mutating func set(_ isOn: Bool, now: Instant) {
        // A program may end its own hold by `off`: its next hold is a new one. The press of a smart key lasts until it
        // is released.
        if !isOn && isSmartDown { return close(now: now) }
        state = isOn && mode != .smart ? .talking(until: nil) : .silent
        if isOn && mode == .smart { smart.latch() } else { smart.letGo() }
    }

    /// Whether a smart key was pressed and not released, as far as the orders show.
    private var isSmartDown: Bool {
        if case .closed = state { mode == .smart } else { smart.isHeld || smart.isEnding }
    }

    private mutating func hold(for length: Interval, now: Instant) {
        // A latched key stays latched: a short hold must not end it.
        if case .talking(until: nil) = state { return }
        // The press that ended a latch silences the key for as long as it is held.
        guard !smart.isEnding else { return }
        if case .closed(let until) = state, now < until {
            state = .closed(until: now + min(length, TalkLimits.repeatMax))
        } else {
            state = .talking(until: now + length)
        }
    }

    private mutating func press(now: Instant) {
        switch mode {
        case .ptt: state = .talking(until: nil)
        case .latch: set(!isPressed, now: now)
        case .smart:
            state = .silent
            smart.handle(.press, now: now)
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
