package import ControlPlane
package import NodeRuntime
package import Primitives

/// What the keys of a terminal mean, as a value.
///
/// A plain terminal tells of presses and never of releases. A key that is held down shows as one
/// press, a pause, and then presses close together until it is let go:
///
/// ```
///   press          first repeat                       let go
///     │  200…700 ms    │ 33 │ 33 │ 33 │ 33 │ 33 │ 33 │
///     └─ talks `pressHold` ─┴─ each: talks `repeatHold` from here ─▶ silent
/// ```
/// So a press that stands alone holds the talk key over that pause, and one that follows the last
/// within `repeatGapMax` is a repeat and holds it for a moment only. The first repeat looks like a
/// press; so does a second tap, and both have to outlast a pause. The smart key has to know more: a
/// press that no repeat has followed within `pressHold` was a tap; two quick taps are talk on and
/// off.
package struct ConsoleKeys {
    /// What a key asks for.
    package enum Act: Hashable, Sendable {
        case talk(TalkOrder)
        case leave
    }

    /// Longer than the pause before the first repeat: 250 ms on the Linux console, 500 ms on most
    /// desktops, 660 ms on a bare X11.
    package static let pressHold = Interval.milliseconds(800)
    /// No hand taps this fast, and every keyboard repeats faster: 92 ms on the Linux console, else 25 to 40 ms.
    package static let repeatGapMax = Interval.milliseconds(150)
    /// Several repeats: a busy network between keyboard and terminal bunches them, and a tail annoys less than a gap.
    package static let repeatHold = Interval.milliseconds(350)

    /// The smart key as far as its presses tell.
    private enum SmartPress {
        case up
        case pressed(at: Instant)
        case repeating(lastAt: Instant)
    }

    private let mode: TalkMode
    private var spaceAt: Instant?
    private var coughAt: Instant?
    private var smart = SmartPress.up

    package init(mode: TalkMode) { self.mode = mode }

    /// What is to be done about bytes that were read together at `now`; called without any, too, so
    /// that a smart key which repeats no more is let go.
    package mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Act] {
        var acts = letGo(at: now).map { [Act.talk($0)] } ?? []
        var latest: Act?
        loop: for byte in bytes {
            switch byte {
            case UInt8(ascii: " "):
                latest = space(at: now).map(Act.talk) ?? latest
            case UInt8(ascii: "c"), UInt8(ascii: "C"):
                latest = .talk(.cough(seconds: ConsoleKeys.hold(since: &coughAt, now: now)))
            case UInt8(ascii: "q"), UInt8(ascii: "Q"):
                return [.leave]
            case ConsoleKeys.escape:
                // An arrow or a function key: the letters behind it are no keys.
                break loop
            default:
                break
            }
        }
        if let latest { acts.append(latest) }
        return acts
    }

    /// When `read` is to be called again even if nothing is typed; nil where that does not matter.
    package var dueAt: Instant? {
        switch smart {
        case .up: nil
        case .pressed(let at): at + ConsoleKeys.pressHold
        case .repeating(let lastAt): lastAt + ConsoleKeys.repeatHold
        }
    }

    private mutating func space(at now: Instant) -> TalkOrder? {
        switch mode {
        case .ptt: return .hold(seconds: ConsoleKeys.hold(since: &spaceAt, now: now))
        case .latch: return ConsoleKeys.isRepeat(of: &spaceAt, now: now) ? nil : .toggle
        case .smart: return smartSpace(at: now)
        case .open, .vox: return nil
        }
    }

    private static func isRepeat(of last: inout Instant?, now: Instant) -> Bool {
        defer { last = now }
        return last.map { now - $0 <= repeatGapMax } ?? false
    }

    private mutating func smartSpace(at now: Instant) -> TalkOrder? {
        switch smart {
        case .up:
            smart = .pressed(at: now)
            return .press
        case .pressed, .repeating:
            smart = .repeating(lastAt: now)
            return nil
        }
    }

    /// The smart key has not been heard of for long enough.
    private mutating func letGo(at now: Instant) -> TalkOrder? {
        guard let dueAt, dueAt <= now else { return nil }
        defer { smart = .up }
        if case .pressed = smart { return .tap }
        return .release
    }

    /// How long a press holds: over the pause before the first repeat, or to the next one.
    private static func hold(since last: inout Instant?, now: Instant) -> Double {
        Double((isRepeat(of: &last, now: now) ? repeatHold : pressHold).milliseconds) / 1_000
    }

    private static let escape: UInt8 = 0x1B
}
