package import Primitives

/// Limits the rate of signature checks of beacons, for each source address and for all together. A source that sends
/// garbage uses up its own share first, and so hardly delays other sources.
package struct BeaconChecks: Sendable {
    private struct Source {
        var address: IPAddress
        var bucket: TokenBucket
        var usedAt: Instant
    }

    private var sources: [Source] = []
    private var all: TokenBucket
    private let burstPerSource: Int

    package init(burstPerSource: Int = MeshLimits.beaconChecksPerSourceBurst, now: Instant) {
        self.burstPerSource = burstPerSource
        all = TokenBucket(burst: MeshLimits.beaconChecksBurst, interval: MeshLimits.beaconCheckInterval, now: now)
    }

    package mutating func take(_ address: IPAddress, now: Instant) -> Bool {
        let index = index(of: address, now: now)
        sources[index].usedAt = now
        return sources[index].bucket.take(now: now) && all.take(now: now)
    }

    /// Returns the index of a source. In a full table, a new source replaces the one that was unused for longest.
    private mutating func index(of address: IPAddress, now: Instant) -> Int {
        if let known = sources.firstIndex(where: { $0.address == address }) { return known }
        let bucket = TokenBucket(
            burst: burstPerSource, interval: MeshLimits.beaconCheckPerSourceInterval, now: now)
        let source = Source(address: address, bucket: bucket, usedAt: now)
        if sources.count < MeshLimits.beaconSourcesMax {
            sources.append(source)
            return sources.count - 1
        }
        let oldest = sources.indices.min { sources[$0].usedAt < sources[$1].usedAt } ?? 0
        sources[oldest] = source
        return oldest
    }
}
