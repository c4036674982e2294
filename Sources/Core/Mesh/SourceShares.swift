package import Primitives

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

/// Things that wait for this node. The sources that brought them are served in turn: however many things one source
/// brings, only one of them goes before the next thing of another source.
///
/// The next source is the one that was served least recently, and its next thing is the one that came first. If the
/// queue is full, a thing of the source with the most things is dropped; of sources with equally many, one of the
/// source that was served latest. Among equal things chance decides, so a source that fills the queue cannot surely
/// keep the others out.
package struct SourceQueue<Element: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let element: Element
        let source: IPAddress
    }

    private let countMax: Int
    /// In the order of their arrival.
    private var waiting: [Waiting] = []
    /// The sources that were served, the latest last: `MeshLimits.sourcesServedMax` at most.
    private var served: [IPAddress] = []

    package init(countMax: Int) { self.countMax = countMax }

    package var count: Int { waiting.count }
    package var elements: [Element] { waiting.map(\.element) }

    /// Adds a thing. Returns the thing that had no room, which may be this one; nil if there was room for all.
    package mutating func add(
        _ element: Element, from source: IPAddress, random: inout SeededRandom
    ) -> Element? {
        waiting.append(Waiting(element: element, source: source))
        guard countMax < waiting.count else { return nil }
        let ranks = waiting.indices.map { (crowd(at: $0), turn(at: $0)) }
        guard let highest = ranks.max(by: <) else { return nil }
        let equals = ranks.indices.filter { ranks[$0] == highest }
        return waiting.remove(at: equals[Int(random.below(UInt64(equals.count)))]).element
    }

    /// Whether a thing waits whose source may be served now.
    package func hasNext(where mayBeServed: (IPAddress) -> Bool) -> Bool {
        waiting.contains { mayBeServed($0.source) }
    }

    /// Of the sources that may be served now, takes the one whose turn it is. Removes and returns the first thing of
    /// that source; nil if there is none.
    package mutating func takeNext(
        where mayBeServed: (IPAddress) -> Bool = { _ in true }
    ) -> (element: Element, source: IPAddress)? {
        let able = waiting.indices.filter { mayBeServed(waiting[$0].source) }
        guard let index = able.min(by: { (turn(at: $0), $0) < (turn(at: $1), $1) }) else { return nil }
        let next = waiting.remove(at: index)
        served.removeAll { $0 == next.source }
        served.append(next.source)
        if MeshLimits.sourcesServedMax < served.count { served.removeFirst() }
        return (next.element, next.source)
    }

    package mutating func removeAll(where isGone: (Element) -> Bool) { waiting.removeAll { isGone($0.element) } }

    /// How many things the source of this one has.
    private func crowd(at index: Int) -> Int { waiting.count { $0.source == waiting[index].source } }

    /// 0 for a source that was not served; the later it was served, the greater.
    private func turn(at index: Int) -> Int {
        served.lastIndex(of: waiting[index].source).map { $0 + 1 } ?? 0
    }
}
