import Primitives
import Wire

extension ControlFlags {
    init(_ refused: RefusedTalk) {
        self = refused.contains(.privately) ? .refusesPrivate : []
        if refused.contains(.toAll) { insert(.refusesToAll) }
    }

    /// The talk of the receiver that the sender does not play.
    var refusedTalk: RefusedTalk {
        var refused: RefusedTalk = contains(.refusesPrivate) ? .privately : []
        if contains(.refusesToAll) { refused.insert(.toAll) }
        return refused
    }
}
