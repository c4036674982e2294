import Primitives
import Wire

/// What this node advertises of itself. The link states of all nodes form the matrix of the mesh.
///
///     change ── channels: at once ────────────────────────────┐
///        └───── link states: due (LinkStatesSchedule) ──► own link states ──► view of each neighbour ──► sent if new
///     session begins or wakes ─────────────────────────────────────────────►  (AdvertisedView)
///     control block names another generation ──────────────────────────────►                          ──► sent again
///
extension Membership {
    // MARK: Changes

    /// Changes the channels that this node listens to, and sends them to the neighbours.
    mutating func setChannels(
        _ channels: [ChannelID], _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        ownChannels = Array(channels.prefix(WireLimits.channelsMax))
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            self[neighbour.slot.index].advertise(ownChannels, on: carrier, &effects, now: now)
        }
    }

    /// Schedules a comparison of the own link states with those that were sent, after a change of the given kind.
    mutating func scheduleLinkStates(after news: LinkNews = .link, now: Instant) {
        linkStatesSchedule.change(news, now: now)
    }

    /// Sends the own link states to each neighbour that was sent others.
    mutating func sendLinkStates(to neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        settleOwnLinks(neighbours)
        var isAnySent = false
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            let isSent = self[neighbour.slot.index].advertise(ownLinks, on: carrier, &effects, now: now)
            isAnySent = isAnySent || isSent
        }
        // A change of quality waits for the next comparison. A made or lost link brings it forward.
        linkStatesSchedule.compared(
            isAnySent: isAnySent, now: now,
            nextAt: neighbours.isEmpty ? .distantFuture : now + MeshLimits.linkStatesClassInterval)
    }

    private mutating func settleOwnLinks(_ neighbours: [Neighbour]) {
        ownLinks = LinkStates(neighbours.map { AdvertisedLink($0) }).settled(after: ownLinks)
    }

    /// Sends a neighbour whose session begins or wakes each view that it was not sent in this session.
    mutating func advertise(to index: Int, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        guard let carrier = neighbours.first(where: { $0.slot.index == index })?.carrier else { return }
        settleOwnLinks(neighbours)
        self[index].advertise(ownChannels, on: carrier, &effects, now: now)
        _ = self[index].advertise(ownLinks, on: carrier, &effects, now: now)
    }
}
