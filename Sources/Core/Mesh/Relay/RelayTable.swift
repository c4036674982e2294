package import Primitives

/// The pairs of nodes between which this node forwards datagrams: at most `MeshLimits.relayPairsMax` pairs, at most
/// `relayPairsPerOriginMax` of them begun by the same node, and 500 datagrams a second in each direction of a pair.
///
/// If all pairs are taken, a new pair displaces a pair of the node that has begun most, if that node has begun more
/// than `MeshLimits.relayPairsKeptMin`, and at least two more than the node that begins the new pair. The pair that was
/// used least recently ends.
package struct RelayTable: Sendable {
    private struct Pair: Sendable {
        /// The node that has begun the pair: the first datagram came from it. The pair counts in the limit
        /// `relayPairsPerOriginMax` of that node, whichever of the two nodes sends later.
        let origin: NodeID
        let destination: NodeID
        var rateFromOrigin: TokenBucket
        var rateToOrigin: TokenBucket
        /// When a datagram passed last, in either direction.
        var usedAt: Instant

        func isBetween(_ node: NodeID, _ other: NodeID) -> Bool {
            (origin == node && destination == other) || (origin == other && destination == node)
        }

        func isIdle(now: Instant) -> Bool { usedAt + MeshLimits.relayIdleMax <= now }

        mutating func take(from node: NodeID, now: Instant) -> Bool {
            let hasToken = node == origin ? rateFromOrigin.take(now: now) : rateToOrigin.take(now: now)
            guard hasToken else { return false }
            usedAt = now
            return true
        }
    }

    private var pairs: [Pair] = []
    private let burst: Int

    /// - Parameter burst: number of datagrams that may be forwarded at once, in each direction of a pair.
    package init(burst: Int = MeshLimits.relayBurst) { self.burst = burst }

    /// Counts one datagram to be forwarded. Returns false if a limit on pairs or the rate forbids it.
    package mutating func take(from origin: NodeID, to destination: NodeID, now: Instant) -> Bool {
        pairs.removeAll { $0.isIdle(now: now) }
        if let known = pairs.firstIndex(where: { $0.isBetween(origin, destination) }) {
            return pairs[known].take(from: origin, now: now)
        }
        guard makeRoom(for: origin) else { return false }
        let rate = TokenBucket(burst: burst, interval: MeshLimits.relayInterval, now: now)
        pairs.append(
            Pair(
                origin: origin, destination: destination, rateFromOrigin: rate, rateToOrigin: rate, usedAt: now))
        return pairs[pairs.count - 1].take(from: origin, now: now)
    }

    /// Whether the node `origin` may begin one more pair. If all pairs are taken, this removes a pair of the node that
    /// has begun most, if that node has begun at least two more than `origin`, and more than
    /// `MeshLimits.relayPairsKeptMin`.
    private mutating func makeRoom(for origin: NodeID) -> Bool {
        guard begun(by: origin) < MeshLimits.relayPairsPerOriginMax else { return false }
        guard MeshLimits.relayPairsMax <= pairs.count else { return true }
        let counts = pairs.map { begun(by: $0.origin) }
        guard let most = counts.max(), max(begun(by: origin) + 1, MeshLimits.relayPairsKeptMin) < most else {
            return false
        }
        let ofMost = pairs.indices.filter { counts[$0] == most }
        guard let least = ofMost.min(by: { pairs[$0].usedAt < pairs[$1].usedAt }) else { return false }
        pairs.remove(at: least)
        return true
    }

    private func begun(by origin: NodeID) -> Int { pairs.count { $0.origin == origin } }

    /// Returns the number of pairs that had a datagram forwarded within `MeshLimits.relayIdleMax`.
    package func pairCount(now: Instant) -> Int { pairs.count { !$0.isIdle(now: now) } }
}
