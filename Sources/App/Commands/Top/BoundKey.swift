import NodeRuntime
import Primitives

/// A talk key of the node with the key of the terminal that works it. A value without clock or terminal.
///
/// A terminal that reports releases works it as a hand does. While a ptt key that the terminal reports, or a smart key,
/// is down, the order to hold it is repeated. So the node lets the key go by itself if this program ends without a
/// word.
struct BoundKey {
    /// The name of the talk key; nil for the first one.
    let name: String?
    /// The key of the terminal, as a Unicode scalar.
    let scalar: UInt32
    let mode: TalkMode
    /// The same key of a terminal that reports no releases.
    private var typedKey: TerminalKey
    /// When the order to hold must be repeated; nil while the key is up, and for a ptt key that is only typed.
    private var heldAgainAt: Instant?

    init(name: String?, letter: Unicode.Scalar, mode: TalkMode) {
        self.name = name
        scalar = letter.value
        self.mode = mode
        typedKey = TerminalKey(name: name, letter: Character(letter), mode: mode)
    }

    func isSame(as other: BoundKey) -> Bool { (name, scalar, mode) == (other.name, other.scalar, other.mode) }

    /// The instant at which `due` must be called; nil if there is none.
    var dueAt: Instant? { [heldAgainAt, typedKey.dueAt].compactMap { $0 }.min() }

    /// The orders whose time has come.
    mutating func due(at now: Instant) -> [TalkOrder] {
        if let order = typedKey.letGo(at: now) {
            heldAgainAt = nil
            return [order]
        }
        guard let at = heldAgainAt, at <= now else { return [] }
        heldAgainAt = now + TopKeys.holdAgain
        return [BoundKey.hold]
    }

    /// The key was typed; the terminal does not tell when it goes up.
    mutating func typed(at now: Instant) -> [TalkOrder] {
        guard let order = typedKey.press(at: now) else { return [] }
        // Of a smart key, `due` tells when it goes up.
        return order == .press ? down(at: now) : [order]
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

    /// Lets the key go, because its release will not be reported. A smart key gets `off`: the node could take an early
    /// release for a tap, which talks on.
    mutating func letGo() -> [TalkOrder] { up().map { mode == .smart ? .off : $0 } }

    private static let hold = TalkOrder.hold(seconds: TopKeys.holdSeconds)
}
