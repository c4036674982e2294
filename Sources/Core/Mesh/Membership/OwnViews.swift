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

    /// Sends a neighbour the channels of this node, if it was sent others and can take a further change.
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

    /// Begins the gossip with a neighbour when a new session comes into use or a session wakes: makes a comparison of
    /// versions due, and sends the views that the neighbour was not sent in this session.
    mutating func beginGossip(
        with index: Int, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        self[index].versions.begin(now: now)
        guard let carrier = neighbours.first(where: { $0.slot.index == index })?.carrier else { return }
        settleOwnLinks(neighbours)
        advertiseChannels(to: index, on: carrier, &effects, now: now)
        _ = self[index].advertise(ownLinks, on: carrier, &effects, now: now)
    }
}
