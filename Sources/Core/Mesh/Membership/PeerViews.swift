import Primitives
import Wire

/// Channels and link states that arrive from a peer.
extension Membership {
    /// Handles the channels of a peer. Returns whether the channels in use have changed.
    mutating func receiveChannels(
        _ channels: [ChannelID], generation: UInt8, of index: Int, in role: SessionRole, _ effects: inout Effects,
        now: Instant
    ) -> Bool {
        let arrival = self[index].receive(channels, generation: generation, isEarly: role == .candidate, now: now)
        if arrival == .overRate { effects.count(.channelsOverRate) }
        return arrival == .changed
    }

    /// Handles the link states of a peer. Returns whether the link states in use have changed.
    mutating func receiveLinkStates(
        _ entries: [AdvertisedLink], generation: UInt16, of index: Int, in role: SessionRole,
        _ effects: inout Effects, now: Instant
    ) -> Bool {
        let states = withoutGhosts(entries, &effects)
        let arrival = self[index].receive(states, generation: generation, isEarly: role == .candidate, now: now)
        if arrival == .overRate { effects.count(.linkStatesOverRate) }
        if arrival == .changed { invalidateClique() }
        return arrival == .changed
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
