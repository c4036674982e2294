import Primitives

/// An allowance for each source, so that none uses up the share of another.
struct SourceAllowances: Sendable {
    private struct Source: Sendable {
        var address: IPAddress
        var bucket: TokenBucket
        var usedAt: Instant
    }

    private let burst: Int
    private let interval: Interval
    private var sources: [Source] = []

    /// - Parameters:
    ///   - burst: how much a source may take at once.
    ///   - interval: the time in which a source gains one.
    init(burst: Int, interval: Interval) {
        self.burst = burst
        self.interval = interval
    }

    /// Takes from the allowance of a source; returns false if it is used up.
    mutating func take(_ address: IPAddress, now: Instant) -> Bool {
        let index = index(of: address, now: now)
        sources[index].usedAt = now
        return sources[index].bucket.take(now: now)
    }

    /// Returns the index of a source. In a full table, a new source replaces the one that was unused for longest.
    private mutating func index(of address: IPAddress, now: Instant) -> Int {
        if let known = sources.firstIndex(where: { $0.address == address }) { return known }
        let bucket = TokenBucket(burst: burst, interval: interval, now: now)
        let source = Source(address: address, bucket: bucket, usedAt: now)
        if sources.count < MeshLimits.sourcesCountedMax {
            sources.append(source)
            return sources.count - 1
        }
        let oldest = sources.indices.min { sources[$0].usedAt < sources[$1].usedAt } ?? 0
        sources[oldest] = source
        return oldest
    }
}
