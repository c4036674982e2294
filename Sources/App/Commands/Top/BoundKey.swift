import NodeRuntime
import Primitives

/// A talk key of the node with the key of the terminal that works it. A value without clock or terminal.
///
/// A terminal that reports releases works it as a hand does. While a key that talks only as long as it is held is down,
/// the order to hold it is repeated. So the node lets the key go by itself if this program ends without a word.
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
        var orders = read([], at: now)
        if let at = heldAgainAt, at <= now {
            heldAgainAt = now + TopKeys.holdAgain
            orders.append(BoundKey.hold)
        }
        return orders
    }

    /// The key was typed; the terminal does not tell when it goes up.
    mutating func typed(at now: Instant) -> [TalkOrder] {
        // `ConsoleKeys` knows the talk key as the space bar.
        read([UInt8(ascii: " ")], at: now)
    }

    /// The key went down, or repeats.
    mutating func down(at now: Instant) -> [TalkOrder] {
        guard heldAgainAt == nil else { return [] }
        heldAgainAt = mode == .ptt || mode == .smart ? now + TopKeys.holdAgain : .distantFuture
        return switch mode {
        case .ptt: [BoundKey.hold]
        case .latch: [.toggle]
        case .smart: [.press, BoundKey.hold]
        case .open, .vox: []
        }
    }

    /// The key went up.
    mutating func up() -> [TalkOrder] {
        guard heldAgainAt != nil else { return [] }
        heldAgainAt = nil
        return mode == .ptt || mode == .smart ? [.release] : []
    }

    /// Nobody will tell when the key goes up. The release of a smart key could be taken for a tap, which talks on.
    mutating func letGo() -> [TalkOrder] { up().map { mode == .smart ? .off : $0 } }

    private mutating func read(_ bytes: [UInt8], at now: Instant) -> [TalkOrder] {
        console.read(bytes, at: now).flatMap { act -> [TalkOrder] in
            guard case .talk(let order, _) = act else { return [] }
            switch order {
            case .press: return down(at: now)
            case .tap, .release: heldAgainAt = nil
            default: break
            }
            return [order]
        }
    }

    private static let hold = TalkOrder.hold(seconds: TopKeys.holdSeconds)
}
