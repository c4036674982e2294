import Primitives
import Wire

/// Link states: each node advertises its own links with their quality. The link states of all nodes form the matrix
/// of the mesh.
extension MeshNode {
    func ownLinkStates() -> [AdvertisedLink] {
        var states: [AdvertisedLink] = []
        for index in links.indices where links[index].state.isLinked {
            guard let session = links[index].session, let path = paths[index].session?.table.chosenPath else {
                continue
            }
            states.append(
                AdvertisedLink(
                    peer: links[index].node, instance: session.instance, path: advertised(path.kind, of: index),
                    rttClass: AdvertisedLink.rttClass(path.rtt),
                    lossClass: AdvertisedLink.lossClass(permille: paths[index].ownReport?.lossPermille)))
        }
        return states
    }

    /// Returns the path kind to advertise. A tunnelled carrier is advertised as a relay, because it leads through a
    /// neighbour too: other nodes then ask for no relay over this link.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && isTunnelled(index) ? .relay : kind
    }

    mutating func sendLinkStates(now: Instant) {
        let states = ownLinkStates().settled(after: membership.linkAdvertisement.advertised)
        // A change of quality waits for this check. A made or lost link brings the check forward.
        membership.linkAdvertisement.checked(
            now: now, nextCheckAt: states.isEmpty ? .distantFuture : now + MeshLimits.linkStatesClassInterval)
        let changes = states.changes(since: membership.linkAdvertisement.advertised)
        guard !changes.isEmpty else { return advertiseAgain(states) }
        let before = membership.linkAdvertisement.number
        membership.linkAdvertisement.advertise(states, now: now)
        let whole = CarrierMessage.linkStates(states).encoded()
        let part = CarrierMessage.linkChanges(changes).encoded()
        for index in links.indices where links[index].state.isLinked {
            guard let session = links[index].session, let carrier = session.carrier else { continue }
            effects.count(.linkStatesSent)
            let hasLast = membership[index].ownLinksAdvertised == LinksAdvertised(carrier: carrier, number: before)
            effects.output(.carrierSend(carrier, hasLast && part.count < whole.count ? part : whole))
            // Until the peer has taken the session over, it may ignore link states: the next ones are sent whole.
            let isAccepted = session.startedAt + MeshLimits.negotiationMax < now
            membership[index].ownLinksAdvertised =
                isAccepted ? LinksAdvertised(carrier: carrier, number: membership.linkAdvertisement.number) : nil
            membership[index].awaitsOwnAdvertisement = false
        }
    }

    /// Sends unchanged link states to the peers that were greeted with different ones, which held only for a moment.
    private mutating func advertiseAgain(_ states: [AdvertisedLink]) {
        for index in links.indices where membership[index].awaitsOwnAdvertisement && links[index].state.isLinked {
            guard let carrier = links[index].session?.carrier else { continue }
            membership[index].awaitsOwnAdvertisement = false
            effects.count(.linkStatesSent)
            effects.send(.linkStates(states), on: carrier)
        }
    }

    /// Sends all link states to a peer whose link comes up, unless the peer has received the last advertisement on
    /// this carrier.
    mutating func sendWholeLinkStates(_ index: Int, on carrier: CarrierID) {
        if membership[index].ownLinksAdvertised
            == LinksAdvertised(carrier: carrier, number: membership.linkAdvertisement.number)
        {
            return
        }
        // This may differ from the last advertisement, so the next one is whole too.
        membership[index].ownLinksAdvertised = nil
        let states = ownLinkStates().settled(after: membership.linkAdvertisement.advertised)
        membership[index].awaitsOwnAdvertisement = !states.changes(since: membership.linkAdvertisement.advertised)
            .isEmpty
        effects.send(.linkStates(states), on: carrier)
    }

    mutating func receiveLinkStates(_ entries: [AdvertisedLink], on line: CarrierEntry, of index: Int, now: Instant) {
        if links[index].session?.carrier == line.id {
            read(entries, asLinkStatesOf: index, now: now)
        } else if links[index].candidate?.carrier == line.id {
            membership[index].linksBeforeEcho = entries
        } else {
            effects.count(.linkStatesUnexpected)
        }
    }

    mutating func receiveLinkChanges(_ changes: [LinkChange], on line: CarrierEntry, of index: Int, now: Instant) {
        if links[index].session?.carrier == line.id {
            let known = membership[index].linkStatesDigest == nil ? nil : membership[index].links
            guard let last = membership[index].linksDeferred?.links ?? known else {
                return effects.count(.linkChangesUnfounded)
            }
            read(last.changed(by: changes), asLinkStatesOf: index, now: now)
        } else if links[index].candidate?.carrier == line.id {
            membership[index].linksBeforeEcho = membership[index].linksBeforeEcho?.changed(by: changes)
        } else {
            effects.count(.linkStatesUnexpected)
        }
    }

    /// Accepts link states within the peer's allowance. Beyond it, keeps only the newest ones and reads them later:
    /// the sender does not repeat link states, so dropped ones would stay missing.
    private mutating func read(_ states: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        guard membership[index].linkStatesAccepted.take(now: now) else {
            effects.count(.linkStatesOverRate)
            let readAt = membership[index].linksDeferred?.readAt ?? now + MeshLimits.linkStatesAcceptedInterval
            membership[index].linksDeferred = DeferredLinkStates(links: states, readAt: readAt)
            effects.invalidateDeadlines()
            return
        }
        membership[index].linksDeferred = nil
        take(states, asLinkStatesOf: index, now: now)
    }

    mutating func readLate(_ index: Int, now: Instant) {
        guard let unread = membership[index].linksDeferred else { return }
        membership[index].linksDeferred = nil
        read(unread.links, asLinkStatesOf: index, now: now)
    }

    /// Accepts the link states that the peer sent before its echo, because the session has taken over now.
    mutating func acceptLinkStatesBeforeEcho(_ index: Int, now: Instant) {
        guard let states = membership[index].linksBeforeEcho else { return }
        membership[index].linksBeforeEcho = nil
        take(states, asLinkStatesOf: index, now: now)
    }

    private mutating func take(_ entries: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        let known = membership[index].links
        var states: [AdvertisedLink] = []
        for entry in entries.prefix(WireLimits.linkStatesMax) {
            if isGhost(entry.instance, of: entry.peer) {
                effects.count(.ghostLinkStates)
                continue
            }
            states.append(entry)
            repair(entry, after: known, now: now)
        }
        membership[index].links = states
        membership[index].linkStatesDigest = CliqueState.digest(of: states.map(\.peer) + [links[index].node])
        membership.clique.isStale = true
        updateRelaysOf(index, now: now)
        reviewSuspicions()
    }

    /// Connects to a peer that a neighbour advertises a link to, if this node has no link to that peer.
    /// - Parameter known: the neighbour's link states before. An entry that was in them is no new hint: a change of
    ///   other entries does not make this node dial a peer again that it has dialled in vain.
    private mutating func repair(_ entry: AdvertisedLink, after known: [AdvertisedLink], now: Instant) {
        guard entry.peer != node, membership.roster.index(of: entry.peer) != nil else { return }
        markSeen(entry.peer, at: now, now: now)
        let hasSlot = links.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), let index = peerIndex(of: entry.peer, now: now), !links[index].state.isLinked,
            !hasSlot || !known.contains(where: { $0.peer == entry.peer && $0.instance == entry.instance })
        else { return }
        reachability[index].isLearnedByGossip = true
        startConnecting(index, now: now)
    }
}

/// The newest link states of a peer that has sent more than its allowance, and when this node reads them.
struct DeferredLinkStates {
    var links: [AdvertisedLink]
    var readAt: Instant
}

extension [AdvertisedLink] {
    /// Returns the link states after the sender's changes, at most `WireLimits.linkStatesMax` entries.
    fileprivate func changed(by changes: [LinkChange]) -> [AdvertisedLink] {
        Array(applying(changes).prefix(WireLimits.linkStatesMax))
    }
}

extension AdvertisedLink {
    /// Returns the class of a round trip: 0 below 1 ms, one more for each doubling, at most 14; 15 if unknown.
    static func rttClass(_ rtt: Interval?) -> UInt8 {
        guard let rtt else { return 15 }
        var rest = rtt.milliseconds
        var rttClass: UInt8 = 0
        while 0 < rest, rttClass < 14 {
            rest /= 2
            rttClass += 1
        }
        return rttClass
    }

    static func lossClass(permille: UInt16?) -> UInt8 {
        switch permille ?? 0 {
        case 0: 0
        case ..<10: 1
        case ..<50: 2
        case ..<100: 3
        case ..<200: 4
        default: 5
        }
    }
}
