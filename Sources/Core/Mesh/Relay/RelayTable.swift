package import Primitives

/// For which pairs this node forwards datagrams, and how fast: at most `MeshLimits.relayPairsMax`
/// pairs, at most `relayPairsPerOriginMax` of them begun by one node, 400 datagrams a second each way.
package struct RelayTable: Sendable {
    private struct Lane: Sendable {
        var from: NodeID
        var to: NodeID
        /// Whether its origin spoke first of the two.
        var isFirstOfPair: Bool
        var rate: TokenBucket
        var usedAt: Instant
    }

    private var lanes: [Lane] = []
    private let burst: Int

    /// - Parameter burst: datagrams that may go at once, each way of a pair.
    package init(burst: Int = MeshLimits.relayBurst) { self.burst = burst }

    /// Whether one more datagram may go; counts it.
    package mutating func take(from origin: NodeID, to destination: NodeID, now: Instant) -> Bool {
        if let lane = lanes.firstIndex(where: { $0.from == origin && $0.to == destination }) {
            guard lanes[lane].rate.take(now: now) else { return false }
            lanes[lane].usedAt = now
            return true
        }
        lanes.removeAll { $0.usedAt + MeshLimits.relayIdleMax <= now }
        let isOtherDirection = lanes.contains { $0.from == destination && $0.to == origin }
        let begun = lanes.count { $0.from == origin && $0.isFirstOfPair }
        let hasRoom =
            pairCount(now: now) < MeshLimits.relayPairsMax && begun < MeshLimits.relayPairsPerOriginMax
        guard isOtherDirection || hasRoom else { return false }
        var rate = TokenBucket(burst: burst, interval: MeshLimits.relayInterval, now: now)
        _ = rate.take(now: now)
        lanes.append(Lane(from: origin, to: destination, isFirstOfPair: !isOtherDirection, rate: rate, usedAt: now))
        return true
    }

    /// Pairs that sent something lately.
    package func pairCount(now: Instant) -> Int {
        var count = 0
        for (place, lane) in lanes.enumerated() where now < lane.usedAt + MeshLimits.relayIdleMax {
            let isCounted = lanes[..<place].contains { earlier in
                earlier.from == lane.to && earlier.to == lane.from && now < earlier.usedAt + MeshLimits.relayIdleMax
            }
            if !isCounted { count += 1 }
        }
        return count
    }
}
