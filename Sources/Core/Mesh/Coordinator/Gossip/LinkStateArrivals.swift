import Primitives
import Wire

/// Link states of a peer: each is a hint by which two nodes link because a third one knows both.
///
///     link states ── Membership: whose? allowance? ──► without ghosts ──► repair: connect to the peers named anew
///                                                                     ──► Membership stores them
///                                                                     ──► relays and suspicions are reviewed
///
extension MeshNode {
    mutating func receiveLinkStates(_ entries: [AdvertisedLink], on line: CarrierEntry, of index: Int, now: Instant) {
        let role = links[index].role(of: line.id)
        guard let states = membership[index].linkStates.receive(entries, in: role, &effects, now: now) else { return }
        useLinkStates(states, of: index, now: now)
    }

    mutating func receiveLinkChanges(_ changes: [LinkChange], on line: CarrierEntry, of index: Int, now: Instant) {
        let role = links[index].role(of: line.id)
        guard let states = membership[index].linkStates.receive(changes, in: role, &effects, now: now) else { return }
        useLinkStates(states, of: index, now: now)
    }

    /// Uses the link states that came above the allowance, when their time has come.
    mutating func readLate(_ index: Int, now: Instant) {
        guard let states = membership[index].linkStates.readLate(&effects, now: now) else { return }
        useLinkStates(states, of: index, now: now)
    }

    /// Uses the link states that the peer sent before its echo, because the session has taken over now.
    mutating func acceptLinkStatesBeforeEcho(_ index: Int, now: Instant) {
        guard let states = membership[index].linkStates.removeBeforeEcho() else { return }
        useLinkStates(states, of: index, now: now)
    }

    private mutating func useLinkStates(_ entries: [AdvertisedLink], of index: Int, now: Instant) {
        let known = membership[index].links
        let states = membership.withoutGhosts(entries, &effects)
        for entry in states { repair(entry, after: known, now: now) }
        membership.useLinkStates(states, of: index)
        updateRelaysOf(index, now: now)
        reviewSuspicions()
    }

    /// Connects to a peer that a neighbour advertises a link to, if this node has no link to that peer.
    /// - Parameter known: the neighbour's link states before.
    private mutating func repair(_ entry: AdvertisedLink, after known: [AdvertisedLink], now: Instant) {
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
