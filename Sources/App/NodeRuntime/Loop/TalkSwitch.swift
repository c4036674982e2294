package import AudioIO
package import Primitives
import Voice

/// Decides whether voice leaves this node. It holds the talk key in each of its modes, the cough switch, and the guard
/// against a key that is never released.
///
/// ```
///            on, toggle, hold, press             off, toggle, hold over, release
///   silent ──────────────────────────▶ talking ─────────────────────────────────▶ silent
///                                       │   ▲ hold again: later end
///                                       └───┘
/// ```
/// In open and vox mode the switch starts on. `SmartKey` is the machine of the smart key, `StuckKey` that of the guard.
/// The guard ignores a key that is latched, open or voice-operated.
package struct TalkSwitch {
    private enum State {
        case silent
        /// `until` is nil if only an order ends it.
        case talking(until: Instant?)
    }

    private enum Cough {
        case off
        /// `until` is nil if only an order ends it.
        case on(until: Instant?)
    }

    /// The mode of the talk key. It does not change while the node runs.
    package let mode: TalkMode
    private var state: State
    private var smart = SmartKey()
    private var stuck: StuckKey
    private var cough = Cough.off
    /// Whether peers are told of talking by the frames that are sent, and not by the key: with vox and half-duplex the
    /// key alone does not decide.
    private let followsVoice: Bool
    private var isVoiceSent = false

    /// - Parameters:
    ///   - keyLimit: the longest time that the key may be held; nil for no limit.
    ///   - isHalfDuplex: whether the key waits while others talk.
    package init(mode: TalkMode, keyLimit: Interval? = TalkLimits.keyLimit, isHalfDuplex: Bool = false) {
        self.mode = mode
        state = mode == .open || mode == .vox ? .talking(until: nil) : .silent
        stuck = StuckKey(limit: keyLimit)
        followsVoice = mode == .vox || isHalfDuplex
    }

    /// Whether this node talks, as peers are told.
    package var isTalking: Bool { isDown && !isStuck && !isCoughing && (!followsVoice || isVoiceSent) }

    /// Whether the microphone is off for a cough, whatever the position of the key.
    package var isCoughing: Bool {
        if case .on = cough { true } else { false }
    }

    /// Whether the key was held for too long. It is then ignored until it has been released.
    package var isStuck: Bool { stuck.isStuck }

    /// The longest time that the key may be held; nil for no limit.
    package var keyLimit: Interval? { stuck.limit }

    /// The position that the capture thread's key must have.
    package var position: TalkKey.Position {
        guard isDown, !isStuck else { return .released }
        return switch mode {
        case .ptt: .held
        case .latch: .latched
        case .open: .open
        case .vox: .voice
        case .smart: isHeld ? .held : .latched
        }
    }

    /// The next instant at which a hold, a cough or the limit of the key ends; nil if there is none. Call `expire`
    /// then.
    package var releasesAt: Instant? {
        var instants: [Instant] = []
        if case .talking(let until?) = state { instants.append(until) }
        if case .on(let until?) = cough { instants.append(until) }
        if let deadline = stuck.deadline { instants.append(deadline) }
        return instants.min()
    }

    /// Carries out an order of a person, a program or a key.
    package mutating func perform(_ order: TalkOrder, now: Instant) {
        switch order {
        case .on: set(true)
        case .off: set(false)
        case .toggle: set(!isDown)
        case .hold(let seconds):
            // A latched key stays latched: a short hold must not end it.
            if case .talking(until: nil) = state { break }
            state = .talking(until: now + Interval(nanoseconds: Int64(seconds * 1e9)))
        case .press: press(now: now)
        case .release: release(now: now)
        case .tap: if mode == .smart { smart.handle(.tap, now: now) }
        case .cough(let seconds):
            // A cough that lasts until `uncough` must not end after a short touch of the cough key.
            if seconds != nil, case .on(until: nil) = cough { break }
            cough = .on(until: seconds.map { now + Interval(nanoseconds: Int64($0 * 1e9)) })
        case .uncough: cough = .off
        }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Ends the hold or cough whose time is over at `now`, and updates the guard.
    package mutating func expire(now: Instant) {
        if case .talking(let until?) = state, until <= now { state = .silent }
        if case .on(let until?) = cough, until <= now { cough = .off }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Call it when a talk spurt begins or ends in the frames of the capture thread.
    package mutating func setSent(isTalking: Bool) { isVoiceSent = isTalking }

    private var isDown: Bool {
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

    private mutating func press(now: Instant) {
        switch mode {
        case .ptt: state = .talking(until: nil)
        case .latch: set(!isDown)
        case .smart: smart.handle(.press, now: now)
        case .open, .vox: break
        }
    }

    private mutating func release(now: Instant) {
        switch mode {
        case .ptt: state = .silent
        case .smart: smart.handle(.release, now: now)
        case .latch, .open, .vox: break
        }
    }
}
