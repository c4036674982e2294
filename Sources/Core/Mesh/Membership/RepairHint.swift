import Primitives
import Wire

/// What an entry in a neighbour's link states says of a peer that this node knows.
enum RepairHint {
    /// The neighbour has made this link.
    case fresh
    /// The entry was in the neighbour's link states before. It is no new hint: a change of other entries does not make
    /// this node dial a peer again that it has dialled in vain.
    case repeated
}

extension Membership {
    /// Returns the link states without those of ghosts, at most `WireLimits.linkStatesMax` entries.
    func withoutGhosts(_ entries: [AdvertisedLink], _ effects: inout Effects) -> [AdvertisedLink] {
        entries.prefix(WireLimits.linkStatesMax).filter { entry in
            let isGhost = isGhost(entry.instance, of: entry.peer)
            if isGhost { effects.count(.ghostLinkStates) }
            return !isGhost
        }
    }

    /// Returns the hint in an entry of a neighbour's link states; nil if the entry names this node or an unknown one.
    /// - Parameter known: the neighbour's link states before.
    func repairHint(in entry: AdvertisedLink, after known: [AdvertisedLink]) -> RepairHint? {
        guard entry.peer != node, roster.index(of: entry.peer) != nil else { return nil }
        return known.contains { $0.peer == entry.peer && $0.instance == entry.instance } ? .repeated : .fresh
    }

    mutating func useLinkStates(_ states: [AdvertisedLink], of index: Int) {
        self[index].linkStates.use(states, of: self[index].node)
        invalidateClique()
    }
}
