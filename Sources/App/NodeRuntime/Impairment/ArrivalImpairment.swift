package import Primitives

/// A bad network for demonstrations (`--simloss`, `--simdelay`, `--simjitter`): what becomes of each
/// media datagram between the socket and the node loop. TCP is left alone.
package struct ArrivalImpairment {
    private let settings: ImpairmentSettings
    private var random: SeededRandom
    /// When the datagram before passes: a queue delays, it does not let anything overtake.
    private var latestAt = Instant.zero

    /// - Parameter seed: of the chances.
    package init(_ settings: ImpairmentSettings, seed: UInt64) {
        self.settings = settings
        random = SeededRandom(seed: seed)
    }

    /// When a datagram that came at `arrival` is to be seen; nil where it is lost.
    package mutating func passes(_ arrival: Instant) -> Instant? {
        guard !settings.isNothing else { return arrival }
        guard !random.chance(permille: UInt64(settings.lossPermille)) else { return nil }
        let jitter = settings.jitter
        let swing = random.interval(in: .zero...jitter * 2) - jitter
        let at = max(latestAt, arrival + max(.zero, settings.delay + swing))
        latestAt = at
        return at
    }
}

/// What `--simloss`, `--simdelay` and `--simjitter` say.
package struct ImpairmentSettings: Hashable, Sendable {
    /// Of the media datagrams that come, lost by chance.
    package var lossPermille = 0
    /// Added to each …
    package var delay = Interval.zero
    /// … more or less by up to this.
    package var jitter = Interval.zero

    package init() {}

    package var isNothing: Bool { self == ImpairmentSettings() }
}

extension ImpairmentSettings: CustomStringConvertible {
    /// For people; empty where nothing is simulated.
    package var description: String {
        guard !isNothing else { return "" }
        let loss = lossPermille == 0 ? [] : ["\(lossPermille / 10).\(lossPermille % 10) % loss"]
        let delay = delay == .zero ? [] : ["\(delay.milliseconds) ms delay"]
        let jitter = jitter == .zero ? [] : ["\(jitter.milliseconds) ms jitter"]
        return "simulated on what arrives: " + (loss + delay + jitter).joined(separator: ", ")
    }
}
