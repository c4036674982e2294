package import Primitives

/// How long each observer has waited for the next packet of each talker that it has heard before. A person would hear
/// such a wait as a gap.
package struct HearingGaps {
    private struct Wait {
        var since: Instant
        var longest = Interval.zero
    }

    private let nodeCount: Int
    private var waits: [Wait?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        waits = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) {
        guard case .voice(let observer, _, let stamp?) = observation, stamp.talker < nodeCount else { return }
        let index = observer * nodeCount + stamp.talker
        let longest = waits[index].map { max($0.longest, instant - $0.since) } ?? .zero
        waits[index] = Wait(since: instant, longest: longest)
    }

    /// Returns the longest wait of `observer` for `talker` since the last call, or since the first packet. A wait
    /// that still lasts counts up to `now`. Nil if the observer has never heard the talker.
    package mutating func takeLongest(of talker: Int, at observer: Int, now: Instant) -> Interval? {
        let index = observer * nodeCount + talker
        guard let wait = waits[index] else { return nil }
        waits[index] = Wait(since: now)
        return max(wait.longest, now - wait.since)
    }
}
