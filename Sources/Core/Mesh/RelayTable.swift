package import Primitives

/// For which pairs this node forwards datagrams, and how fast: at most `MeshLimits.relayPairsMax`
/// pairs, 400 datagrams a second each way.
package struct RelayTable: Sendable {
    private struct Lane: Sendable {
        var from: NodeID
        var to: NodeID
        var rate: TokenBucket
        var usedAt: Instant
    }

    private var lanes: [Lane] = []

    package init() {}

    /// Whether one more datagram may go; counts it.
    package mutating func take(from origin: NodeID, to destination: NodeID, now: Instant) -> Bool {
        if let lane = lanes.firstIndex(where: { $0.from == origin && $0.to == destination }) {
            lanes[lane].usedAt = now
            return lanes[lane].rate.take(now: now)
        }
        lanes.removeAll { $0.usedAt + MeshLimits.relayIdleMax <= now }
        let isOtherWay = lanes.contains { $0.from == destination && $0.to == origin }
        guard isOtherWay || pairCount(now: now) < MeshLimits.relayPairsMax else { return false }
        var rate = TokenBucket(burst: MeshLimits.relayBurst, interval: MeshLimits.relayInterval, now: now)
        _ = rate.take(now: now)
        lanes.append(Lane(from: origin, to: destination, rate: rate, usedAt: now))
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
