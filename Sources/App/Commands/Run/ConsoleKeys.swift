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
/// press; so does a second tap, and both have to outlast a pause.
package struct ConsoleKeys {
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

    private let mode: TalkMode
    private var spaceAt: Instant?

    package init(mode: TalkMode) { self.mode = mode }

    /// What is to be done about bytes that were read together at `now`; nil where nothing is.
    package mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> Act? {
        var act: Act?
        for byte in bytes {
            switch byte {
            case UInt8(ascii: " "):
                act = space(at: now) ?? act
            case UInt8(ascii: "q"), UInt8(ascii: "Q"):
                return .leave
            case ConsoleKeys.escape:
                // An arrow or a function key: the letters behind it are no keys.
                return act
            default:
                break
            }
        }
        return act
    }

    private mutating func space(at now: Instant) -> Act? {
        let isRepeat = spaceAt.map { now - $0 <= ConsoleKeys.repeatGapMax } ?? false
        spaceAt = now
        switch mode {
        case .ptt:
            let hold = isRepeat ? ConsoleKeys.repeatHold : ConsoleKeys.pressHold
            return .talk(.hold(seconds: Double(hold.milliseconds) / 1_000))
        case .latch:
            return isRepeat ? nil : .talk(.toggle)
        case .open:
            return nil
        }
    }

    private static let escape: UInt8 = 0x1B
}
