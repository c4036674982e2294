package import Primitives

/// The wait until the next search for a direct carrier, while the session uses a tunnel.
package struct DirectSearch: Hashable, Sendable {
    private var failures = 0

    package init() {}

    /// Whether the peer has had a tunnelled carrier, and no direct one since.
    package var hasFailed: Bool { 0 < failures }

    /// Returns the wait until the next search: U[d/2, d], where d doubles with each call, from
    /// `TunnelLimits.directSearchFirst` to `directSearchMax`. The random part keeps the two sides out of step.
    package mutating func fail(random: inout SeededRandom) -> Interval {
        // 2^3 · 2 s exceeds the cap already.
        let full = min(TunnelLimits.directSearchFirst * (1 << Int64(min(failures, 3))), TunnelLimits.directSearchMax)
        failures += 1
        return random.interval(in: full / 2...full)
    }
}

/// While a session uses a tunnelled carrier, this node searches for a direct carrier and for direct paths.
extension MeshNode {
    func isTunnelled(_ index: Int) -> Bool {
        guard let carrier = links[index].session?.carrier else { return false }
        return links.carriers[carrier]?.isTunnelled == true
    }

    /// Whether the session has no carrier, or only a tunnelled one.
    func wantsCarrier(_ index: Int) -> Bool {
        links[index].session?.carrier == nil || isTunnelled(index)
    }

    /// Schedules the next search. Both sides search, because perhaps only one of them can dial. A success of either
    /// side ends the search of both.
    mutating func searchDirectLater(_ index: Int, now: Instant) {
        let wait = reachability[index].directSearch.fail(random: &effects.random)
        links[index].renewal = .due(at: now + wait)
        effects.invalidateDeadlines()
    }

    /// Makes the scheduled search due now: from a new address of this node, a direct dial may succeed.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard isTunnelled(index), case .due = links[index].renewal else { return }
        links[index].renewal = .due(at: now)
        effects.invalidateDeadlines()
    }
}
