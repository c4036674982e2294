package import Primitives

/// Simulates a bad network for demonstrations (`--simloss`, `--simdelay`, `--simjitter`): loses or delays media
/// datagrams between the socket and the node loop. TCP is not changed.
package struct ArrivalImpairment {
    private let settings: ImpairmentSettings
    private var random: SeededRandom
    /// The instant at which the previous datagram passes. As in a queue, no datagram overtakes another.
    private var latestAt = Instant.zero

    /// - Parameter seed: the seed of the random losses and delays.
    package init(_ settings: ImpairmentSettings, seed: UInt64) {
        self.settings = settings
        random = SeededRandom(seed: seed)
    }

    /// The instant at which the node gets a datagram that arrived at `arrival`; nil if it is lost.
    package mutating func passes(_ arrival: Instant) -> Instant? {
        guard !random.chance(permille: UInt64(settings.lossPermille)) else { return nil }
        let jitter = settings.jitter
        let swing = random.interval(in: .zero...jitter * 2) - jitter
        let at = max(latestAt, arrival + max(.zero, settings.delay + swing))
        latestAt = at
        return at
    }
}

/// The values of `--simloss`, `--simdelay` and `--simjitter`.
package struct ImpairmentSettings: Hashable, Sendable {
    /// The share of arriving media datagrams that is lost at random, in thousandths.
    package var lossPermille = 0
    /// The mean delay that is added to each datagram.
    package var delay = Interval.zero
    /// The delay of each datagram differs from the mean by at most this, at random.
    package var jitter = Interval.zero

    package init() {}

    package var isNothing: Bool { self == ImpairmentSettings() }
}

extension ImpairmentSettings: CustomStringConvertible {
    /// For people; empty if nothing is simulated.
    package var description: String {
        guard !isNothing else { return "" }
        let loss = lossPermille == 0 ? [] : ["\(lossPermille / 10).\(lossPermille % 10) % loss"]
        let delay = delay == .zero ? [] : ["\(delay.milliseconds) ms delay"]
        let jitter = jitter == .zero ? [] : ["\(jitter.milliseconds) ms jitter"]
        return "simulated on what arrives: " + (loss + delay + jitter).joined(separator: ", ")
    }
}
