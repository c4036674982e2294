import ControlPlane
import NodeRuntime

/// What a key of the terminal means. A plain terminal tells of presses and never of releases.
enum ConsoleKey: Equatable {
    case talk(TalkOrder)
    case leave

    /// Longer than the pause before the first repeat of a held key (500 ms where nobody set it).
    static let holdSeconds = 0.6

    init?(_ byte: UInt8, mode: TalkMode) {
        switch byte {
        case UInt8(ascii: " "):
            switch mode {
            case .ptt: self = .talk(.hold(seconds: ConsoleKey.holdSeconds))
            case .latch: self = .talk(.toggle)
            case .open: return nil
            }
        case UInt8(ascii: "q"), UInt8(ascii: "Q"):
            self = .leave
        default:
            return nil
        }
    }
}
