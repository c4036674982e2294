import Primitives
import Wire

/// What this node advertises of itself to its neighbours. The link states of all nodes together form the matrix of the
/// mesh.
///
///     change ── channels: at once ────────────────────────────┐
///        └───── link states: due (LinkStatesSchedule) ──► own link states ──► view of each neighbour ──► sent if new
///     session begins or wakes ─────────────────────────────────────────────►  (AdvertisedView)
///     control block names another generation ──────────────────────────────►                          ──► sent again
///
extension Membership {
    // MARK: Changes

    /// Changes the channels of this node, and sends them to the neighbours.
    mutating func setChannels(
        _ channels: ChannelView, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        ownChannels = channels
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            advertiseChannels(to: neighbour.slot.index, on: carrier, &effects, now: now)
        }
    }

    /// Changes the channels on which this node talks. Returns false if they are the same as before.
    mutating func setTalked(_ channels: [ChannelID]) -> Bool {
        guard channels != talkedOn else { return false }
        talkedOn = channels
        return true
    }

    /// Sends a neighbour this node's channels, unless it was sent them last or has three lists to confirm.
    mutating func advertiseChannels(to index: Int, on carrier: CarrierID, _ effects: inout Effects, now: Instant) {
        self[index].advertise(ownChannels, to: PeerSlot(index: index), on: carrier, &effects, now: now)
    }

    /// Schedules a comparison of this node's link states with those that the neighbours were sent, after a change of
    /// the given kind.
    mutating func scheduleLinkStates(after news: LinkNews = .link, now: Instant) {
        linkStatesSchedule.change(news, now: now)
    }

    /// Sends this node's link states to each neighbour that was sent other ones.
    mutating func sendLinkStates(to neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        settleOwnLinks(neighbours)
        var isAnySent = false
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            let isSent = self[neighbour.slot.index].advertise(ownLinks, on: carrier, &effects, now: now)
            isAnySent = isAnySent || isSent
        }
        linkStatesSchedule.compared(isAnySent: isAnySent, linkCount: neighbours.count, now: now)
    }

    private mutating func settleOwnLinks(_ neighbours: [Neighbour]) {
        ownLinks = LinkStates(neighbours.map { AdvertisedLink($0) }, settledAfter: ownLinks)
    }

    /// Begins the gossip with a neighbour when a new session comes into use, a session wakes, or the link is no longer
    /// stale: makes a comparison of versions due, and sends the views that this node has not sent in this session. If
    /// other neighbours were never told of this one, its record waits from now on until they may be told.
    mutating func beginGossip(
        with index: Int, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        self[index].versions.begin(now: now)
        if roster[self[index].node]?.isTold == false { gossip.scheduleNews(at: now + MeshLimits.gossipDelay) }
        guard let carrier = neighbours.first(where: { $0.slot.index == index })?.carrier else { return }
        settleOwnLinks(neighbours)
        advertiseChannels(to: index, on: carrier, &effects, now: now)
        _ = self[index].advertise(ownLinks, on: carrier, &effects, now: now)
    }
}

/// Link states that arrive from a peer. By them this node finds out whether the mesh is a complete clique: whether each
/// node has a link to every other.
extension Membership {
    /// Handles the link states of a peer. Returns whether the link states in use have changed, or are the first of the
    /// present session.
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

/// Whether an entry in a neighbour's link states is new, and so a hint to connect to the peer in the entry (repair).
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
