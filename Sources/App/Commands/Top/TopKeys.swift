package import NodeRuntime
package import Primitives

/// Turns the keys typed at `partyline top` into orders. A value without clock or terminal.
///
/// Space works the first talk key, and the digit or letter of each talk key works that one (`BoundKey`).
package struct TopKeys {
    /// The action for a key.
    package enum Act: Hashable, Sendable {
        /// An order for the talk key of this name; nil is the first one.
        case talk(TalkOrder, key: String?)
        /// Answers the call that is shown.
        case answer
        /// Ends the screen, and not the node. Orders before it let every key go.
        case leave
        case redraw
        /// Ctrl-C and Ctrl-Z of a terminal that reports them as keys, and sends no signal. Orders before them let every
        /// key go: the terminal does not report a release to a program that has ended or is stopped.
        case interrupt, suspend
    }

    /// The time for which one order holds a key.
    package static let holdSeconds = 1.0
    /// The pause between two such orders.
    package static let holdAgain = Interval.milliseconds(300)

    private var reports = KeyReports()
    private var bound: [BoundKey]
    /// Knows each `ConsoleLetter` as a terminal types it, and no talk key.
    private var typedKeys = ConsoleKeys([])
    /// When the order to cough must be repeated; nil while a reported c is up.
    private var coughAgainAt: Instant?

    /// - Parameters:
    ///   - mode: the mode of the first talk key.
    ///   - keys: all talk keys of the node.
    package init(mode: TalkMode, keys: [KeysDocument.Key] = []) {
        bound = TopKeys.bindings(mode, keys)
    }

    /// Binds the talk keys anew if they have changed; returns the orders that let the former ones go.
    package mutating func bind(mode: TalkMode, keys: [KeysDocument.Key]) -> [Act] {
        let wanted = TopKeys.bindings(mode, keys)
        guard !wanted.elementsEqual(bound, by: { $0.isSame(as: $1) }) else { return [] }
        let acts = letGo()
        bound = wanted
        return acts
    }

    private static func bindings(_ mode: TalkMode, _ keys: [KeysDocument.Key]) -> [BoundKey] {
        let others = keys.compactMap { key -> BoundKey? in
            guard let letter = key.terminalKey?.unicodeScalars.first,
                ConsoleLetter(scalar: letter.value) == nil
            else { return nil }
            return BoundKey(name: key.name, letter: letter, mode: TalkMode(rawValue: key.mode) ?? .ptt)
        }
        return [BoundKey(name: nil, letter: " ", mode: mode)] + others
    }

    /// The instant at which `read` must be called even if nothing was typed; nil if there is none.
    package var dueAt: Instant? { (bound.map(\.dueAt) + [coughAgainAt]).compactMap { $0 }.min() }

    /// Returns the actions for bytes that were read together at `now`.
    package mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Act] {
        var acts: [Act] = []
        for index in bound.indices { acts += talk(bound[index].due(at: now), index) }
        if let at = coughAgainAt, at <= now {
            coughAgainAt = now + TopKeys.holdAgain
            acts.append(.talk(.cough(seconds: TopKeys.holdSeconds), key: nil))
        }
        for key in reports.read(bytes) {
            switch key {
            case .typed(let byte): acts += typed(byte, at: now)
            case .down(let scalar, isControl: true): acts += control(scalar)
            case .down(let scalar, isControl: false): acts += down(scalar, at: now)
            case .up(let scalar): acts += up(scalar)
            }
        }
        return acts
    }

    /// The orders that let go of every key that is down.
    package mutating func letGo() -> [Act] {
        var acts: [Act] = []
        for index in bound.indices { acts += talk(bound[index].letGo(), index) }
        return acts + endCough()
    }

    private mutating func typed(_ byte: UInt8, at now: Instant) -> [Act] {
        if byte == TopKeys.formFeed { return [.redraw] }
        // A terminal with Caps Lock types capital letters; the keys are bound to small ones.
        let key = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        if let index = bound.firstIndex(where: { $0.scalar == UInt32(key) }) {
            return talk(bound[index].typed(at: now), index)
        }
        return typedKeys.read([byte], at: now).flatMap { act -> [Act] in
            switch act {
            case .talk(let order, _): [.talk(order, key: nil)]
            case .answer: [.answer]
            case .stop: letGo() + [.leave]
            }
        }
    }

    private mutating func down(_ scalar: UInt32, at now: Instant) -> [Act] {
        if let index = bound.firstIndex(where: { $0.scalar == scalar }) {
            return talk(bound[index].down(at: now), index)
        }
        switch ConsoleLetter(scalar: scalar) {
        case .cough? where coughAgainAt == nil:
            coughAgainAt = now + TopKeys.holdAgain
            return [.talk(.cough(seconds: TopKeys.holdSeconds), key: nil)]
        case .answer?: return [.answer]
        case .end?: return letGo() + [.leave]
        case .cough?, nil: return []
        }
    }

    private mutating func up(_ scalar: UInt32) -> [Act] {
        if let index = bound.firstIndex(where: { $0.scalar == scalar }) {
            return talk(bound[index].up(), index)
        }
        return ConsoleLetter(scalar: scalar) == .cough ? endCough() : []
    }

    private mutating func endCough() -> [Act] {
        guard coughAgainAt != nil else { return [] }
        coughAgainAt = nil
        return [.talk(.uncough, key: nil)]
    }

    private func talk(_ orders: [TalkOrder], _ index: Int) -> [Act] {
        orders.map { .talk($0, key: bound[index].name) }
    }

    private mutating func control(_ scalar: UInt32) -> [Act] {
        switch scalar {
        case TopKeys.scalarOf("c"): letGo() + [.interrupt]
        case TopKeys.scalarOf("z"): letGo() + [.suspend]
        case TopKeys.scalarOf("l"): [.redraw]
        default: []
        }
    }

    private static func scalarOf(_ letter: Unicode.Scalar) -> UInt32 { letter.value }

    private static let formFeed: UInt8 = 0x0C
}
