package import Primitives

/// How one direction of a path between two hosts behaves.
package struct LinkRule: Hashable, Codable, Sendable {
    /// Least delay of a packet.
    package var delayMin: Interval
    /// Mean of the exponential part that is added; packets overtake each other by it.
    package var delayMean: Interval
    /// Independent loss of 1,000 packets.
    package var lossPermille: UInt64
    /// Loss in runs on top; nil for none.
    package var bursts: BurstLoss?
    package var duplicatePermille: UInt64
    /// One bit flipped in so many of 1,000 datagrams. Streams have checksums and lose it instead.
    package var corruptPermille: UInt64
    /// A firewall that drops datagrams and lets connections pass.
    package var dropsDatagrams: Bool
    /// A firewall that drops connections and lets datagrams pass.
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

    /// A quiet wired network: 0.2 ms and a little.
    package static let wired = LinkRule(delayMin: .microseconds(200), delayMean: .microseconds(50))

    /// The longest that a packet can be under way.
    package var delayMax: Interval { delayMin + delayMean * Exponential.meansMax }
}

/// Datagrams wait for one another before a slow line, and are dropped where too many wait.
package struct PathQueue: Hashable, Codable, Sendable {
    /// What one datagram takes.
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
    /// Loss of 1,000 packets in the bad state.
    package var badLossPermille: UInt64

    package init(goodMean: Interval, badMean: Interval, badLossPermille: UInt64) {
        self.goodMean = goodMean
        self.badMean = badMean
        self.badLossPermille = badLossPermille
    }
}

/// Where a link is in its burst model.
struct BurstState: Sendable {
    private var isBad = false
    private var changesAt: Instant?

    /// Moves on to `now` and says whether the link is bad there.
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
