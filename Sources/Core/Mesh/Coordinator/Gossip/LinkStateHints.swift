import Primitives
import Wire

/// What follows from the link states of a neighbour. Each link in them is a hint: two nodes link because a third node
/// knows both.
///
///     link states in use ──► repair: connect to the peers named anew
///                        ──► relays and suspicions are reviewed
///
extension MeshNode {
    /// - Parameter known: the neighbour's link states before this change.
    mutating func followLinkStates(of index: Int, after known: LinkStates, now: Instant) {
        for entry in membership[index].links.entries { repair(entry, after: known, now: now) }
        updateRelaysOf(index, now: now)
        reviewSuspicions()
    }

    /// Connects to a peer that a neighbour advertises a link to, if this node has no link to that peer.
    private mutating func repair(_ entry: AdvertisedLink, after known: LinkStates, now: Instant) {
        guard let hint = membership.repairHint(in: entry, after: known) else { return }
        markSeen(entry.peer, at: now, now: now)
        let hasSlot = links.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), hint == .fresh || !hasSlot, let index = peerIndex(of: entry.peer),
            !links[index].state.isLinked
        else { return }
        reachability[index].learnByGossip()
        startConnecting(index, now: now)
    }
}
