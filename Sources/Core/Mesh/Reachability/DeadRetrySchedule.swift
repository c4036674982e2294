import Primitives

/// When this node next dials one dead peer, drawn at random. If a partition has ended, some node soon finds that out by
/// such a dial, and gossip tells all others.
///
/// The wait grows with the number of linked neighbours, because they dial too: the rate of these dials in the whole
/// mesh does not depend on the size of the mesh.
struct DeadRetrySchedule {
    /// `.distantFuture` while there are no dead peers.
    private(set) var nextAt: Instant = .distantFuture

    /// - Parameter isRecent: whether a peer is dead whose record still counts.
    mutating func schedule(isRecent: Bool, linkedCount: Int, random: inout SeededRandom, now: Instant) {
        let full =
            (isRecent ? MeshLimits.deadRetryInterval : MeshLimits.deadRetryIntervalLate) * (Int64(linkedCount) + 1)
        nextAt = now + random.interval(in: full / 2...full)
    }

    /// Schedules a retry because a peer has just died. A retry that is due earlier stays.
    mutating func advance(linkedCount: Int, random: inout SeededRandom, now: Instant) {
        let scheduled = nextAt
        schedule(isRecent: true, linkedCount: linkedCount, random: &random, now: now)
        nextAt = min(nextAt, scheduled)
    }

    mutating func end() { nextAt = .distantFuture }
}
