package import NodeRuntime
import Primitives

/// One talk key on a terminal that reports presses, but no releases (`ConsoleKeys` has the diagram).
package struct TerminalKey: Hashable, Sendable {
    /// State of a smart key, derived from its presses.
    private enum SmartPress: Hashable, Sendable {
        case up
        case pressed(at: Instant)
        case repeating(lastAt: Instant)
    }

    /// The name of the key in orders; nil for the first key.
    package let name: String?
    /// In lower case.
    package let letter: Character
    private let mode: TalkMode
    private var pressedAt: Instant?
    private var smart = SmartPress.up

    package init(name: String?, letter: Character, mode: TalkMode) {
        self.name = name
        self.letter = letter
        self.mode = mode
    }

    /// Whether both have the same name, letter and mode.
    func isSame(as other: TerminalKey) -> Bool { (name, letter, mode) == (other.name, other.letter, other.mode) }

    /// Returns the order for a press, or for a repeat of one; nil if there is none.
    mutating func press(at now: Instant) -> TalkOrder? {
        switch mode {
        case .ptt: return .hold(seconds: ConsoleKeys.hold(since: &pressedAt, now: now))
        case .latch: return ConsoleKeys.isRepeat(of: &pressedAt, now: now) ? nil : .toggle
        case .smart: return smartPress(at: now)
        case .open, .vox: return nil
        }
    }

    /// The instant at which `letGo` must be called even if nothing was typed; nil if there is none.
    var dueAt: Instant? {
        switch smart {
        case .up: nil
        case .pressed(let at): at + ConsoleKeys.pressHold
        case .repeating(let lastAt): lastAt + ConsoleKeys.repeatHold
        }
    }

    /// Releases a smart key if `dueAt` has passed; returns the order for the node.
    mutating func letGo(at now: Instant) -> TalkOrder? {
        guard let dueAt, dueAt <= now else { return nil }
        defer { smart = .up }
        if case .pressed = smart { return .tap }
        return .release
    }

    private mutating func smartPress(at now: Instant) -> TalkOrder? {
        switch smart {
        case .up:
            smart = .pressed(at: now)
            return .press
        case .pressed, .repeating:
            smart = .repeating(lastAt: now)
            return nil
        }
    }
}

extension KeysDocument {
    /// The keys of a running node on the terminal: their modes may have changed since its start.
    package var terminalKeys: [TerminalKey] {
        keys.compactMap { key in
            guard let letter = key.terminalKey?.first, let mode = TalkMode(rawValue: key.mode) else { return nil }
            return TerminalKey(name: key.name, letter: letter, mode: mode)
        }
    }
}

extension RunOptions {
    /// The talk keys of the configuration on the terminal. Their names are those that the node reports later, so a key
    /// that is pressed before the report keeps its state.
    package var terminalKeys: [TerminalKey] {
        guard !keys.isEmpty else { return [TerminalKey(name: KeyBook.onlyName, letter: "1", mode: talk)] }
        return keys.enumerated().map { index, table in
            TerminalKey(name: table.name, letter: table.letter(at: index), mode: table.mode(with: talk))
        }
    }
}
