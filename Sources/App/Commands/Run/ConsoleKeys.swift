package import NodeRuntime
package import Primitives

/// Interprets the keys typed in a terminal; a value without clock or terminal.
///
/// A plain terminal reports presses, but no releases. A key that is held down appears as one press, a pause, and then
/// repeats in quick succession until it is released:
///
/// ```
///   press          first repeat                       released
///     │  200…700 ms    │ 33 │ 33 │ 33 │ 33 │ 33 │ 33 │  ms
///     └─ talks `pressHold` ─┴─ each: talks `repeatHold` from here ─▶ silent
/// ```
/// A press that follows another within `repeatGapMax` is a repeat, and holds the talk key for `repeatHold`. Any other
/// press holds it for `pressHold`, which is longer than the pause before the first repeat. The first repeat comes after
/// that pause, so it counts as a press too, as does a second tap.
///
/// The smart key must also know whether a press was a tap: it was one if no other press followed within `pressHold`.
package struct ConsoleKeys {
    /// The action for a key.
    package enum Act: Hashable, Sendable {
        case talk(TalkOrder)
        case stop
    }

    /// Longer than the pause before the first repeat: that is 250 ms on the Linux console, 500 ms on most desktops, and
    /// 660 ms on plain X11.
    package static let pressHold = Interval.milliseconds(800)
    /// Shorter than the time between two taps of a hand, and longer than that between two repeats: this is 92 ms on the
    /// Linux console, and 25 to 40 ms elsewhere.
    package static let repeatGapMax = Interval.milliseconds(150)
    /// Time of several repeats. A busy network between keyboard and terminal delivers repeats in groups, and a key that
    /// stays down a little too long is better than a gap in the voice.
    package static let repeatHold = Interval.milliseconds(350)

    /// State of the smart key, derived from its presses.
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

    /// Returns the actions for bytes that were read together at `now`. It must also be called without bytes at `dueAt`,
    /// so that a smart key that no longer repeats is released.
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
                return [.stop]
            case ConsoleKeys.escape:
                // An escape sequence of an arrow or function key: the characters after it are not keys.
                break loop
            default:
                break
            }
        }
        if let latest { acts.append(latest) }
        return acts
    }

    /// The instant at which `read` must be called even if nothing was typed; nil if there is none.
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

    /// Releases the smart key if `dueAt` has passed; returns the order for the node.
    private mutating func letGo(at now: Instant) -> TalkOrder? {
        guard let dueAt, dueAt <= now else { return nil }
        defer { smart = .up }
        if case .pressed = smart { return .tap }
        return .release
    }

    /// Returns the time in seconds for which a press holds the key: `repeatHold` for a repeat, otherwise `pressHold`.
    private static func hold(since last: inout Instant?, now: Instant) -> Double {
        Double((isRepeat(of: &last, now: now) ? repeatHold : pressHold).milliseconds) / 1_000
    }

    private static let escape: UInt8 = 0x1B
}
