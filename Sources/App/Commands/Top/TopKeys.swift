package import NodeRuntime
package import Primitives

/// Turns the keys typed at `partyline top` into orders. A value without clock or terminal.
///
/// A terminal that reports releases works the talk key as a hand does. Any other terminal works it as in
/// `partyline run` (`ConsoleKeys`).
///
/// While a reported key is down, the order to hold it is repeated. So the node lets the key go by itself if this
/// program ends without a word.
package struct TopKeys {
    /// The action for a key.
    package enum Act: Hashable, Sendable {
        case talk(TalkOrder)
        /// Ends the screen, and not the node.
        case leave
        case redraw
        /// Ctrl-C and Ctrl-Z of a terminal that reports them as keys, and sends no signal.
        case interrupt, suspend
    }

    /// The time for which one order holds a key.
    package static let holdSeconds = 1.0
    /// The pause between two such orders.
    package static let holdAgain = Interval.milliseconds(300)

    private let mode: TalkMode
    private var reports = KeyReports()
    private var console: ConsoleKeys
    /// When each key that is down must be held again.
    private var talkDue: Instant?
    private var coughDue: Instant?

    package init(mode: TalkMode) {
        self.mode = mode
        console = ConsoleKeys(mode: mode)
    }

    /// The instant at which `read` must be called even if nothing was typed; nil if there is none.
    package var dueAt: Instant? { [talkDue, coughDue, console.dueAt].compactMap { $0 }.min() }

    /// Returns the actions for bytes that were read together at `now`.
    package mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> [Act] {
        var acts = heldAgain(at: now)
        var typed: [UInt8] = []
        for key in reports.read(bytes) {
            switch key {
            case .typed(TopKeys.formFeed): acts.append(.redraw)
            case .typed(let byte): typed.append(byte)
            case .down(let scalar, let isControl):
                if let act = isControl ? TopKeys.control(scalar) : down(scalar, at: now) { acts.append(act) }
            case .up(let scalar): if let order = up(scalar) { acts.append(.talk(order)) }
            }
        }
        return acts
            + console.read(typed, at: now).map { act in
                switch act {
                case .talk(let order): .talk(order)
                case .stop: .leave
                }
            }
    }

    /// The orders that let go of every key that is down. To be carried out before the screen ends.
    package mutating func letGo() -> [TalkOrder] {
        [TopKeys.space, TopKeys.cough].compactMap { up($0) }
    }

    private mutating func down(_ scalar: UInt32, at now: Instant) -> Act? {
        switch scalar {
        case TopKeys.space where talkDue == nil:
            talkDue = mode == .ptt ? now + TopKeys.holdAgain : .distantFuture
            return switch mode {
            case .ptt: .talk(.hold(seconds: TopKeys.holdSeconds))
            case .latch: .talk(.toggle)
            case .smart: .talk(.press)
            case .open, .vox: nil
            }
        case TopKeys.cough where coughDue == nil:
            coughDue = now + TopKeys.holdAgain
            return .talk(.cough(seconds: TopKeys.holdSeconds))
        case TopKeys.leave: return .leave
        default: return nil
        }
    }

    private mutating func up(_ scalar: UInt32) -> TalkOrder? {
        switch scalar {
        case TopKeys.space where talkDue != nil:
            talkDue = nil
            return mode == .ptt || mode == .smart ? .release : nil
        case TopKeys.cough where coughDue != nil:
            coughDue = nil
            return .uncough
        default: return nil
        }
    }

    private mutating func heldAgain(at now: Instant) -> [Act] {
        var acts: [Act] = []
        if let due = talkDue, due <= now {
            talkDue = now + TopKeys.holdAgain
            acts.append(.talk(.hold(seconds: TopKeys.holdSeconds)))
        }
        if let due = coughDue, due <= now {
            coughDue = now + TopKeys.holdAgain
            acts.append(.talk(.cough(seconds: TopKeys.holdSeconds)))
        }
        return acts
    }

    private static func control(_ scalar: UInt32) -> Act? {
        switch scalar {
        case scalarOf("c"): .interrupt
        case scalarOf("z"): .suspend
        case scalarOf("l"): .redraw
        default: nil
        }
    }

    private static func scalarOf(_ letter: Unicode.Scalar) -> UInt32 { letter.value }

    private static let space = scalarOf(" ")
    private static let cough = scalarOf("c")
    private static let leave = scalarOf("q")
    private static let formFeed: UInt8 = 0x0C
}
