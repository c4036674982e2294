import Primitives
import Wire

/// Which of this node's link states one peer has.
struct OwnLinksSent {
    /// The advertisement that the peer has; nil if it may lack the last one.
    private(set) var last: LinksAdvertised?
    /// Whether the peer's session began with link states that differ from those last advertised to all. If the link
    /// states turn back to those, this peer must be sent them again.
    var awaitsAdvertisement = false
}

/// Own link states: each node advertises its own links with their quality. The link states of all nodes form the
/// matrix of the mesh.
extension Membership {
    /// Schedules a check of the own link states after a change of the given kind.
    mutating func scheduleLinkStates(after news: LinkNews = .link, now: Instant) {
        linkAdvertisement.change(news, now: now)
    }

    private func settledLinkStates(_ neighbours: [Neighbour]) -> [AdvertisedLink] {
        neighbours.map { AdvertisedLink($0) }.settled(after: linkAdvertisement.advertised)
    }

    /// Checks the own link states, and sends what has changed in them since the last advertisement.
    mutating func sendLinkStates(to neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        let states = settledLinkStates(neighbours)
        // A change of quality waits for this check. A made or lost link brings the check forward.
        linkAdvertisement.checked(
            now: now, nextCheckAt: states.isEmpty ? .distantFuture : now + MeshLimits.linkStatesClassInterval)
        let changes = states.changes(since: linkAdvertisement.advertised)
        guard !changes.isEmpty else { return advertiseAgain(states, to: neighbours, &effects) }
        let before = linkAdvertisement.number
        linkAdvertisement.advertise(states, now: now)
        let whole = CarrierMessage.linkStates(states).encoded()
        let part = CarrierMessage.linkChanges(changes).encoded()
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            let index = neighbour.slot.index
            effects.count(.linkStatesSent)
            let hasLast = self[index].ownLinksSent.last == LinksAdvertised(carrier: carrier, number: before)
            effects.output(.carrierSend(carrier, hasLast && part.count < whole.count ? part : whole))
            // Until the peer has taken the session over, it may ignore link states: the next ones are sent whole.
            let isAccepted = neighbour.sessionStartedAt + MeshLimits.negotiationMax < now
            let last = isAccepted ? LinksAdvertised(carrier: carrier, number: linkAdvertisement.number) : nil
            self[index].ownLinksSent = OwnLinksSent(last: last)
        }
    }

    /// Sends unchanged link states to the peers that were greeted with different ones, which held only for a moment.
    private mutating func advertiseAgain(
        _ states: [AdvertisedLink], to neighbours: [Neighbour], _ effects: inout Effects
    ) {
        for neighbour in neighbours where self[neighbour.slot.index].ownLinksSent.awaitsAdvertisement {
            guard let carrier = neighbour.carrier else { continue }
            self[neighbour.slot.index].ownLinksSent.awaitsAdvertisement = false
            effects.count(.linkStatesSent)
            effects.send(.linkStates(states), on: carrier)
        }
    }

    /// Sends all link states to a peer whose session begins, unless the peer has received the last advertisement on
    /// this carrier.
    mutating func sendWholeLinkStates(
        to index: Int, on carrier: CarrierID, _ neighbours: [Neighbour], _ effects: inout Effects
    ) {
        let present = LinksAdvertised(carrier: carrier, number: linkAdvertisement.number)
        if self[index].ownLinksSent.last == present { return }
        let states = settledLinkStates(neighbours)
        // This may differ from the last advertisement, so the next one is whole too.
        self[index].ownLinksSent = OwnLinksSent(
            last: nil, awaitsAdvertisement: !states.changes(since: linkAdvertisement.advertised).isEmpty)
        effects.send(.linkStates(states), on: carrier)
    }
}
