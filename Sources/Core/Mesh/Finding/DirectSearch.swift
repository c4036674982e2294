package import Primitives

/// How long until the next search for a direct carrier while a tunnel serves.
package struct DirectSearch: Hashable, Sendable {
    private var failures = 0

    package init() {}

    /// A carrier went through a neighbour, and none has gone directly since.
    package var hasFailed: Bool { 0 < failures }

    /// Counts a search in vain; U[d/2, d] of a doubling d, so that both sides do not search in step.
    package mutating func fail(random: inout SeededRandom) -> Interval {
        // 2^3 · 2 s is past the cap already.
        let full = min(TunnelLimits.directSearchFirst * (1 << Int64(min(failures, 3))), TunnelLimits.directSearchMax)
        failures += 1
        return random.interval(in: full / 2...full)
    }
}

/// A session whose carrier is tunnelled goes on looking for a direct one, and for direct paths.
extension MeshNode {
    func isTunnelled(_ index: Int) -> Bool {
        guard let carrier = peers[index].session?.carrier else { return false }
        return carriers[carrier]?.isTunnelled == true
    }

    /// Whether a link has no carrier, or only one through a neighbour.
    func wantsCarrier(_ index: Int) -> Bool {
        peers[index].session?.carrier == nil || isTunnelled(index)
    }

    /// Both sides search, for perhaps only one can dial; whichever succeeds ends it for both.
    mutating func searchDirectLater(_ index: Int, now: Instant) {
        let wait = peers[index].directSearch.fail(random: &random)
        peers[index].renewal = .due(at: now + wait)
        deadlines.needsRefresh = true
    }

    /// From a new address there may be a way at once.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard isTunnelled(index), case .due = peers[index].renewal else { return }
        peers[index].renewal = .due(at: now)
        deadlines.needsRefresh = true
    }
}
