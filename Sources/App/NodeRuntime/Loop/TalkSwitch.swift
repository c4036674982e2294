package import AudioIO
package import ControlPlane
package import Primitives
import Voice

/// Whether voice leaves this node, as a value: the key in its modes, the cough switch, and the guard
/// against a key that nobody lets go.
///
/// ```
///            on, toggle, hold, press             off, toggle, hold over, release
///   silent ──────────────────────────▶ talking ─────────────────────────────────▶ silent
///                                       │   ▲ hold again: later end
///                                       └───┘
/// ```
/// In open and vox mode the switch starts on. `SmartKey` is the machine of the smart key, `StuckKey`
/// that of the guard; a latch, an open and a voice-operated key cannot be stuck.
package struct TalkSwitch {
    private enum State {
        case silent
        /// `until` is nil where only a person's act ends it.
        case talking(until: Instant?)
    }

    private enum Cough {
        case off
        /// `until` is nil where only a person's act ends it.
        case on(until: Instant?)
    }

    /// What pressing the key means; fixed for the run.
    package let mode: TalkMode
    private var state: State
    private var smart = SmartKey()
    private var stuck: StuckKey
    private var cough = Cough.off
    /// Where not the key alone decides, what is sent tells the others.
    private let followsVoice: Bool
    private var isVoiceSent = false

    /// - Parameters:
    ///   - keyLimit: how long a key may be held; nil for ever.
    ///   - isHalfDuplex: the key may have to wait for the others.
    package init(mode: TalkMode, keyLimit: Interval? = TalkLimits.keyLimit, isHalfDuplex: Bool = false) {
        self.mode = mode
        state = mode == .open || mode == .vox ? .talking(until: nil) : .silent
        stuck = StuckKey(limit: keyLimit)
        followsVoice = mode == .vox || isHalfDuplex
    }

    /// What the others are told.
    package var isTalking: Bool { isDown && !isStuck && !isCoughing && (!followsVoice || isVoiceSent) }

    /// The microphone is off whatever the key says.
    package var isCoughing: Bool {
        if case .on = cough { true } else { false }
    }

    /// The key was held for too long and is not heard until it has been up.
    package var isStuck: Bool { stuck.isStuck }

    /// How long it may be held; nil for ever.
    package var keyLimit: Interval? { stuck.limit }

    /// Where the capture thread's key is to be.
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

    /// When something falls back by itself.
    package var releasesAt: Instant? {
        var instants: [Instant] = []
        if case .talking(let until?) = state { instants.append(until) }
        if case .on(let until?) = cough { instants.append(until) }
        if let deadline = stuck.deadline { instants.append(deadline) }
        return instants.min()
    }

    /// An order of a person, a program or a key; it may release what held until now.
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
            // What waits for `uncough` outlasts a touch of the cough key.
            if seconds != nil, case .on(until: nil) = cough { break }
            cough = .on(until: seconds.map { now + Interval(nanoseconds: Int64($0 * 1e9)) })
        case .uncough: cough = .off
        }
        stuck.update(isDown: isHeld, now: now)
    }

    /// Lets go what was held until `now`.
    package mutating func expire(now: Instant) {
        if case .talking(let until?) = state, until <= now { state = .silent }
        if case .on(let until?) = cough, until <= now { cough = .off }
        stuck.update(isDown: isHeld, now: now)
    }

    /// A talk spurt has begun or ended in what the capture thread handed up.
    package mutating func setSent(isTalking: Bool) { isVoiceSent = isTalking }

    private var isDown: Bool {
        if case .talking = state { return true }
        return smart.isTalking
    }

    /// A finger is on the key, as far as can be told.
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
