package import Primitives

/// The pairs of nodes between which this node forwards datagrams: at most `MeshLimits.relayPairsMax` pairs, at most
/// `relayPairsPerOriginMax` of them begun by the same node, and 400 datagrams a second in each direction of a pair.
package struct RelayTable: Sendable {
    private struct Lane: Sendable {
        var from: NodeID
        var to: NodeID
        /// Whether the first datagram between the two nodes went in this direction. If so, `from` has begun the pair,
        /// and the pair counts for the limit `relayPairsPerOriginMax` of `from`.
        var isFirstOfPair: Bool
        var rate: TokenBucket
        var usedAt: Instant
    }

    private var lanes: [Lane] = []
    private let burst: Int

    /// - Parameter burst: number of datagrams that may be forwarded at once, in each direction of a pair.
    package init(burst: Int = MeshLimits.relayBurst) { self.burst = burst }

    /// Counts one datagram to be forwarded. Returns false if a limit on pairs or the rate forbids it.
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

    /// Returns the number of pairs that had a datagram forwarded within `MeshLimits.relayIdleMax`.
    package func pairCount(now: Instant) -> Int {
        var count = 0
        for (index, lane) in lanes.enumerated() where now < lane.usedAt + MeshLimits.relayIdleMax {
            let isCounted = lanes[..<index].contains { earlier in
                earlier.from == lane.to && earlier.to == lane.from && now < earlier.usedAt + MeshLimits.relayIdleMax
            }
            if !isCounted { count += 1 }
        }
        return count
    }
}
