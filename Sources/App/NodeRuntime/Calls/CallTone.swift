package import Channels
package import Primitives

/// When the tone of a call sounds again: until a person has answered it, or it is over.
package struct CallTone {
    /// While a call waits, its tone sounds again after this time.
    package static let interval = Interval.seconds(5)

    private var soundedAt = Instant.zero

    package init() {}

    /// The tone of a call that has come has sounded.
    package mutating func recordSounded(now: Instant) { soundedAt = now }

    /// Returns the tone that is due; nil if none is.
    /// - Parameters:
    ///   - calls: the calls of peers.
    ///   - isQuiet: whether do-not-disturb is on. It silences a call that came before it, too, unless that is urgent.
    ///   - wanted: the tones that the person wants to hear.
    package mutating func due(of calls: [IncomingCall], isQuiet: Bool, wanted: [Tone], now: Instant) -> Tone? {
        guard soundedAt + CallTone.interval <= now else { return nil }
        let waiting = calls.filter { $0.isOpen && (!isQuiet || $0.isUrgent) }.map(\.tone)
        let tone = [Tone.urgent, .call].first { wanted.contains($0) && waiting.contains($0) }
        if tone != nil { soundedAt = now }
        return tone
    }
}

extension IncomingCall {
    var tone: Tone { isUrgent ? .urgent : .call }
}
