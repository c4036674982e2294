package import Primitives

/// The pairs of nodes between which this node forwards datagrams: at most `MeshLimits.relayPairsMax` pairs, at most
/// `relayPairsPerOriginMax` of them begun by the same node, and 400 datagrams a second in each direction of a pair.
///
/// If all pairs are taken, a node that has begun few displaces a pair of the node that has begun most. Of these pairs
/// the one that was used least lately ends.
package struct RelayTable: Sendable {
    private struct Lane: Sendable {
        var from: NodeID
        var to: NodeID
        /// Whether the first datagram between the two nodes went in this direction. If so, `from` has begun the pair,
        /// and the pair counts for the limit `relayPairsPerOriginMax` of `from`.
        var isFirstOfPair: Bool
        var rate: TokenBucket
        var usedAt: Instant

        func isOfPair(_ other: Lane) -> Bool {
            (from == other.from && to == other.to) || (from == other.to && to == other.from)
        }
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
        guard isOtherDirection || makeRoom(for: origin, now: now) else { return false }
        var rate = TokenBucket(burst: burst, interval: MeshLimits.relayInterval, now: now)
        _ = rate.take(now: now)
        lanes.append(Lane(from: origin, to: destination, isFirstOfPair: !isOtherDirection, rate: rate, usedAt: now))
        return true
    }

    /// Whether a node may begin one more pair. Where all pairs are taken, one ends for it: of a node that has begun at
    /// least two more, and more than `MeshLimits.relayPairsKeptMin`.
    private mutating func makeRoom(for origin: NodeID, now: Instant) -> Bool {
        guard begun(by: origin) < MeshLimits.relayPairsPerOriginMax else { return false }
        guard MeshLimits.relayPairsMax <= pairCount(now: now) else { return true }
        let most = lanes.map { begun(by: $0.from) }.max() ?? 0
        guard max(begun(by: origin) + 1, MeshLimits.relayPairsKeptMin) < most else { return false }
        let ofMost = lanes.filter { $0.isFirstOfPair && begun(by: $0.from) == most }
        guard let least = ofMost.min(by: { usedAt($0) < usedAt($1) }) else { return false }
        lanes.removeAll { $0.isOfPair(least) }
        return true
    }

    /// When a datagram passed last in either direction of the lane's pair.
    private func usedAt(_ lane: Lane) -> Instant {
        lanes.filter { $0.isOfPair(lane) }.map(\.usedAt).max() ?? lane.usedAt
    }

    private func begun(by origin: NodeID) -> Int { lanes.count { $0.from == origin && $0.isFirstOfPair } }

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
