import Primitives

/// While a session uses a tunnelled carrier, this node searches for a direct carrier and for direct paths.
extension MeshNode {
    /// Schedules the next search. Both sides search, because perhaps only one of them can dial. A success of either
    /// side ends the search of both.
    mutating func searchDirectLater(_ index: Int, now: Instant) {
        let at = reachability[index].nextDirectSearch(&effects, now: now)
        links.renew(index, at: at, &effects)
    }

    /// Makes the scheduled search due now: from a new address of this node, a direct dial may succeed.
    mutating func searchDirectNow(_ index: Int, now: Instant) {
        guard links.isTunnelled(index), links[index].hastenRenewal(now: now) else { return }
        effects.invalidateDeadlines()
    }
}
