import Primitives
import Wire

/// The roster kept up to date: the own record, the nodes that are seen, the comparison of versions with a peer, and
/// whether the mesh is a complete clique.
extension MeshNode {
    mutating func changeOwnRecord(now: Instant, _ body: (inout NodeRecord) -> Void) {
        membership.changeOwnRecord(sealing: sealing, neighbours, &effects, now: now, body)
    }

    /// Notes that this node or a neighbour saw the peer at `at`. If its record had not counted and now counts, the
    /// digest changes.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) {
        if membership.markSeen(peer, at: at, now: now) { refreshDigest(now: now) }
    }

    mutating func refreshDigest(now: Instant) { membership.refreshDigest(neighbours, now: now) }

    /// Checks the clique again if something has changed. Outputs an event if the result differs.
    mutating func settleClique(now: Instant) {
        // Checked here, because this runs after every input: the neighbours are collected only where they are needed.
        guard membership.clique.isStale else { return }
        membership.settleClique(neighbours, expectedCount: expectedCount(now: now), &effects, now: now)
    }

    // MARK: Anti-entropy

    /// Schedules a comparison of versions with a peer whose digest differs.
    mutating func scheduleVersions(_ index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership.scheduleVersions(with: index, now: now)
    }

    /// Whether this node reads and answers a list of versions on this carrier; counts a list that it rejects.
    mutating func admitsVersions(on carrier: CarrierEntry, now: Instant) -> Bool {
        let index = carrier.slot.index
        guard links[index].role(of: carrier.id) != nil else {
            effects.count(.framesUnexpected)
            return false
        }
        return membership.admitsVersions(of: index, &effects, now: now)
    }

    /// Sends the records that the peer lacks or has in an older version. The caller has checked `admitsVersions`.
    mutating func receiveVersions(_ versions: [NodeVersion], on carrier: CarrierEntry, of index: Int, now: Instant) {
        membership.answerVersions(
            versions, of: index, instance: links[index].session?.instance, on: carrier.id, neighbours, &effects,
            now: now)
    }
}
