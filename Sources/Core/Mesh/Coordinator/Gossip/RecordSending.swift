import Primitives
import Wire

/// The own record, and the comparison of versions with a peer.
extension MeshNode {
    mutating func changeOwnRecord(now: Instant, _ body: (inout NodeRecord) -> Void) {
        membership.changeOwnRecord(sealing: sealing, neighbours, &effects, now: now, body)
    }

    // MARK: Anti-entropy

    /// Schedules a comparison of versions with a peer whose digest differs.
    mutating func scheduleVersions(_ index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership.scheduleVersions(with: index, now: now)
    }

    /// Whether this node reads and answers a list of versions on this carrier; counts a list that it rejects.
    mutating func admitsVersions(on line: CarrierEntry, now: Instant) -> Bool {
        let index = line.slot.index
        guard links[index].role(of: line.id) != nil else {
            effects.count(.framesUnexpected)
            return false
        }
        return membership.admitsVersions(of: index, &effects, now: now)
    }

    /// Sends the records that the peer lacks or has in an older version. The caller has checked `admitsVersions`.
    mutating func receiveVersions(_ versions: [NodeVersion], on line: CarrierEntry, of index: Int, now: Instant) {
        membership.answerVersions(
            versions, of: index, instance: links[index].session?.instance, on: line.id, neighbours, &effects, now: now)
    }
}
