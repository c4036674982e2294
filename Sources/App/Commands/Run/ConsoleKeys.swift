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
        /// `key` is the name of the key; nil for the first one.
        case talk(TalkOrder, key: String? = nil)
        /// Answers the call that is shown.
        case answer
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

    private var keys: [TerminalKey]
    private var coughAt: Instant?

    /// - Parameter keys: the talk keys; the first one is also worked by the space bar.
    package init(_ keys: [TerminalKey]) { self.keys = keys }

    /// Works these keys from now on. A key that is as before keeps its state.
    package mutating func bind(_ wanted: [TerminalKey]) {
        keys = wanted.map { key in keys.first { $0.isSame(as: key) } ?? key }
    }

    /// Returns the actions for bytes that were read together at `now`. It must also be called without bytes at `dueAt`,
    /// so that a smart key that no longer repeats is released.
    package mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Act] {
        var acts = keys.indices.compactMap { index in
            keys[index].letGo(at: now).map { Act.talk($0, key: keys[index].name) }
        }
        // The latest order of each key, and of the cough switch behind them.
        var latest = [Act?](repeating: nil, count: keys.count + 1)
        loop: for byte in bytes {
            switch ConsoleLetter(scalar: UInt32(byte)) {
            case .cough?:
                latest[keys.count] = .talk(.cough(seconds: ConsoleKeys.hold(since: &coughAt, now: now)))
            case .answer?: acts.append(.answer)
            case .end?: return [.stop]
            case nil where byte == ConsoleKeys.escape:
                // An escape sequence of an arrow or function key: the characters after it are not keys.
                break loop
            case nil:
                guard let index = index(of: byte), let order = keys[index].press(at: now) else { break }
                latest[index] = .talk(order, key: keys[index].name)
            }
        }
        acts += latest.compactMap { $0 }
        return acts
    }

    /// Those of the acts that may be sent late, or twice, because the answer did not come: the end of the node, or else
    /// the ends of presses. A press would open the microphone later than its person wanted.
    package static func endings(in acts: [Act]) -> [Act] {
        if acts.contains(.stop) { return [.stop] }
        return acts.filter { act in
            switch act {
            case .talk(.off, _), .talk(.release, _), .talk(.tap, _), .talk(.uncough, _): true
            case .stop, .answer, .talk: false
            }
        }.eachOnce
    }

    /// The instant at which `read` must be called even if nothing was typed; nil if there is none.
    package var dueAt: Instant? { keys.compactMap(\.dueAt).min() }

    private func index(of byte: UInt8) -> Int? {
        let typed = Character(UnicodeScalar(byte)).lowercased()
        if let index = keys.firstIndex(where: { String($0.letter) == typed }) { return index }
        return typed == " " && !keys.isEmpty ? 0 : nil
    }

    static func isRepeat(of last: inout Instant?, now: Instant) -> Bool {
        defer { last = now }
        return last.map { now - $0 <= repeatGapMax } ?? false
    }

    /// Returns the time in seconds for which a press holds the key: `repeatHold` for a repeat, otherwise `pressHold`.
    static func hold(since last: inout Instant?, now: Instant) -> Double {
        Double((isRepeat(of: &last, now: now) ? repeatHold : pressHold).milliseconds) / 1_000
    }

    private static let escape: UInt8 = 0x1B
}
