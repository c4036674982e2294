import Primitives
import Wire

/// Link states that arrive from a peer, and what follows from them for the clique.
extension Membership {
    /// Handles the link states of a peer. Returns whether the link states in use have changed.
    mutating func receiveLinkStates(
        _ entries: [AdvertisedLink], generation: UInt16, of index: Int, in role: SessionRole,
        _ effects: inout Effects, now: Instant
    ) -> Bool {
        let states = withoutGhosts(entries, &effects)
        let isChange = self[index].receive(states, generation: generation, in: role, &effects, now: now)
        if isChange { invalidateClique() }
        return isChange
    }

    private func withoutGhosts(_ entries: [AdvertisedLink], _ effects: inout Effects) -> LinkStates {
        LinkStates(
            entries.filter { entry in
                let isGhost = isGhost(entry.instance, of: entry.peer)
                if isGhost { effects.count(.ghostLinkStates) }
                return !isGhost
            })
    }

    /// Uses the views of a session that is in use from now on.
    mutating func beginSession(of index: Int, isSameBoot: Bool) {
        self[index].beginSession(isSameBoot: isSameBoot)
        invalidateClique()
    }

    /// Returns the hint in an entry of a neighbour's link states; nil if the entry names this node or an unknown one.
    /// - Parameter known: the neighbour's link states before this change.
    func repairHint(in entry: AdvertisedLink, after known: LinkStates) -> RepairHint? {
        guard entry.peer != node, roster.index(of: entry.peer) != nil else { return nil }
        return known[entry.peer]?.instance == entry.instance ? .repeated : .fresh
    }
}

/// What an entry in a neighbour's link states says of a peer that this node knows.
enum RepairHint {
    /// The neighbour has got this link since its earlier link states.
    case fresh
    /// The entry was in the neighbour's earlier link states too, so it is no news. This node has perhaps dialled the
    /// peer in vain, and does not dial it again only because other entries have changed.
    case repeated
}

/// The channels to which a peer listens, in the order of its list.
struct PeerListening: Equatable {
    var channels: [ChannelID]
    /// The generation of the list; 0 if the list is that of an earlier session.
    var generation: UInt8
}
