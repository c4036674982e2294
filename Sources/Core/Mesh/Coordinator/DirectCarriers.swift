import Primitives

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
        links[index].renewal = .due(at: reachability[index].nextDirectSearch(&effects, now: now))
        effects.invalidateDeadlines()
    }

    /// Makes the scheduled search due now: from a new address of this node, a direct dial may succeed.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard isTunnelled(index), case .due = links[index].renewal else { return }
        links[index].renewal = .due(at: now)
        effects.invalidateDeadlines()
    }
}
