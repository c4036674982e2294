import NodeRuntime
import Primitives

/// A talk key of the node with the key of the terminal that works it. A value without clock or terminal.
///
/// A terminal that reports releases works it as a hand does. While it is down, the order to hold it is repeated. So the
/// node lets the key go by itself if this program ends without a word.
struct BoundKey {
    /// The name of the talk key; nil for the first one.
    let name: String?
    /// The key of the terminal, as a Unicode scalar.
    let scalar: UInt32
    let mode: TalkMode
    private var console: ConsoleKeys
    /// When the order to hold must be repeated; nil while the key is up.
    private var heldAgainAt: Instant?

    init(name: String?, scalar: UInt32, mode: TalkMode) {
        self.name = name
        self.scalar = scalar
        self.mode = mode
        console = ConsoleKeys(mode: mode)
    }

    func isSame(as other: BoundKey) -> Bool { (name, scalar, mode) == (other.name, other.scalar, other.mode) }

    /// The instant at which `due` must be called; nil if there is none.
    var dueAt: Instant? { [heldAgainAt, console.dueAt].compactMap { $0 }.min() }

    /// The orders whose time has come.
    mutating func due(at now: Instant) -> [TalkOrder] {
        var orders = BoundKey.orders(console.read([], at: now))
        if let at = heldAgainAt, at <= now {
            heldAgainAt = now + TopKeys.holdAgain
            orders.append(.hold(seconds: TopKeys.holdSeconds))
        }
        return orders
    }

    /// The key was typed; the terminal does not tell when it goes up.
    mutating func typed(at now: Instant) -> [TalkOrder] {
        // `ConsoleKeys` knows the talk key as the space bar.
        BoundKey.orders(console.read([UInt8(ascii: " ")], at: now))
    }

    /// The key went down, or repeats.
    mutating func down(at now: Instant) -> TalkOrder? {
        guard heldAgainAt == nil else { return nil }
        heldAgainAt = mode == .ptt ? now + TopKeys.holdAgain : .distantFuture
        return switch mode {
        case .ptt: .hold(seconds: TopKeys.holdSeconds)
        case .latch: .toggle
        case .smart: .press
        case .open, .vox: nil
        }
    }

    /// The key went up.
    mutating func up() -> TalkOrder? {
        guard heldAgainAt != nil else { return nil }
        heldAgainAt = nil
        return mode == .ptt || mode == .smart ? .release : nil
    }

    private static func orders(_ acts: [ConsoleKeys.Act]) -> [TalkOrder] {
        acts.compactMap { if case .talk(let order, _) = $0 { order } else { nil } }
    }
}
