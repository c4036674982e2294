package import Primitives

/// Behaviour of the network in one direction between two hosts.
package struct LinkRule: Hashable, Codable, Sendable {
    /// Shortest delay of a packet.
    package var delayMin: Interval
    /// Mean of the exponential delay that is added to `delayMin`. Because of it packets can overtake each other.
    package var delayMean: Interval
    /// Packets lost of each 1,000, each independently.
    package var lossPermille: UInt64
    /// Loss in bursts, in addition; nil for none.
    package var bursts: BurstLoss?
    package var duplicatePermille: UInt64
    /// Datagrams of each 1,000 in which one bit is flipped. Streams are not affected.
    package var corruptPermille: UInt64
    /// Whether a firewall drops datagrams and lets connections pass.
    package var dropsDatagrams: Bool
    /// Whether a firewall drops connections and lets datagrams pass.
    package var dropsStreams = false
    /// A queue before a slow line; nil for none.
    package var queue: PathQueue?

    package init(
        delayMin: Interval, delayMean: Interval, lossPermille: UInt64 = 0, bursts: BurstLoss? = nil,
        duplicatePermille: UInt64 = 0, corruptPermille: UInt64 = 0, dropsDatagrams: Bool = false
    ) {
        self.delayMin = delayMin
        self.delayMean = delayMean
        self.lossPermille = lossPermille
        self.bursts = bursts
        self.duplicatePermille = duplicatePermille
        self.corruptPermille = corruptPermille
        self.dropsDatagrams = dropsDatagrams
    }

    /// A quiet wired network: 0.2 ms, and 0.05 ms more on average.
    package static let wired = LinkRule(delayMin: .microseconds(200), delayMean: .microseconds(50))

    /// Longest delay of a packet, without the wait in `queue`.
    package var delayMax: Interval { delayMin + delayMean * Exponential.meansMax }
}

/// A bounded queue of datagrams before a slow line. A datagram that finds the queue full is dropped.
package struct PathQueue: Hashable, Codable, Sendable {
    /// Time that the line needs for one datagram.
    package var service: Interval
    package var capacity: Int

    package init(service: Interval, capacity: Int) {
        self.service = service
        self.capacity = capacity
    }
}

/// The two-state loss model of Gilbert (1960) and Elliott (1963), in continuous time.
package struct BurstLoss: Hashable, Codable, Sendable {
    package var goodMean: Interval
    package var badMean: Interval
    /// Packets lost of each 1,000 in the bad state.
    package var badLossPermille: UInt64

    package init(goodMean: Interval, badMean: Interval, badLossPermille: UInt64) {
        self.goodMean = goodMean
        self.badMean = badMean
        self.badLossPermille = badLossPermille
    }
}

/// State of the burst model for one direction between two hosts.
struct BurstState: Sendable {
    private var isBad = false
    private var changesAt: Instant?

    /// Advances the model to `now` and returns whether its state is bad then.
    mutating func isBad(_ bursts: BurstLoss, now: Instant, using random: inout SeededRandom) -> Bool {
        var next = changesAt ?? now + Exponential.interval(mean: bursts.goodMean, using: &random)
        while next <= now {
            isBad.toggle()
            let mean = isBad ? bursts.badMean : bursts.goodMean
            next += max(.microseconds(1), Exponential.interval(mean: mean, using: &random))
        }
        changesAt = next
        return isBad
    }
}
