import Primitives
import Wire

/// Which records count (are recent enough), and the digest over the records that count.
extension Membership {
    /// Notes that this node or a neighbour saw the peer at `at`. Returns whether the digest has to be computed again,
    /// because the record of the peer counts now and did not before, or the reverse.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) -> Bool {
        guard let index = roster.index(of: peer) else { return false }
        let wasCurrent = roster[index: index].isCurrent(now: now)
        roster[index: index].markSeen(at: at)
        let isCurrent = roster[index: index].isCurrent(now: now)
        if isCurrent != wasCurrent { return true }
        // A record that was indirect until now may expire earlier than before.
        if isCurrent { gossip.expireDigest(by: roster[index: index].expiresAt) }
        return false
    }

    /// Notes that this node or a neighbour saw the peer at `at`, and computes the digest again if that changes it.
    mutating func markSeen(_ peer: NodeID, at: Instant, _ neighbours: [Neighbour], now: Instant) {
        if markSeen(peer, at: at, now: now) { refreshDigest(neighbours, now: now) }
    }

    /// Lets the records be older by `slept`: the machine was asleep, and the clock of this node stood still. The caller
    /// refreshes the digest.
    mutating func age(by slept: Interval) { roster.age(by: slept) }

    /// Marks all peers that the neighbours' link states name as seen now. Nodes send link states only when they change,
    /// so the last ones of the present session are still true.
    mutating func markSeenByNeighbours(_ neighbours: [Neighbour], now: Instant) {
        var isDigestOld = false
        for neighbour in neighbours {
            for entry in self[neighbour.slot.index].linksOfSession.entries {
                if markSeen(entry.peer, at: now, now: now) { isDigestOld = true }
            }
        }
        if isDigestOld { refreshDigest(neighbours, now: now) }
    }

    /// Marks the neighbours as seen now, and computes the digest again.
    mutating func refreshDigest(_ neighbours: [Neighbour], now: Instant) {
        for neighbour in neighbours {
            if let index = roster.index(of: neighbour.node) { roster[index: index].markSeen(at: now) }
        }
        gossip.setDigest(roster.digest(now: now) ^ own.digestTerm, expiresAt: roster.nextExpiry(now: now))
        invalidateClique()
    }

    /// The name in the record of a node; empty if the node is unknown.
    func name(of node: NodeID) -> SafeText { roster[node]?.record.profile.name ?? SafeText("") }

    /// Whether a link with `peer` is expected: its record counts, and this node does not take it for dead.
    func isExpected(_ peer: NodeID, now: Instant) -> Bool { roster[peer]?.counts(now: now) == true }

    /// Stores this node's verdict that a peer is dead, or is not.
    mutating func setDead(_ isDead: Bool, _ peer: NodeID) {
        if let index = roster.index(of: peer) { roster[index: index].isDead = isDead }
        invalidateClique()
    }
}
