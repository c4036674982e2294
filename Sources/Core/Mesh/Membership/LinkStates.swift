import Primitives
import Wire

/// Link states: each node advertises its own links with their quality. The link states of all nodes form the matrix
/// of the mesh.
extension MeshNode {
    func ownLinkStates() -> [AdvertisedLink] {
        var links: [AdvertisedLink] = []
        for index in peers.indices where peers[index].state.isLinked {
            guard let session = peers[index].session else { continue }
            let path = session.paths.chosenPath
            links.append(
                AdvertisedLink(
                    peer: peers[index].node, instance: session.instance, path: advertised(path.kind, of: index),
                    rttClass: AdvertisedLink.rttClass(path.rtt),
                    lossClass: AdvertisedLink.lossClass(permille: paths[index].ownReport?.lossPermille)))
        }
        return links
    }

    /// Returns the path kind to advertise. A tunnelled carrier is advertised as a relay, because it leads through a
    /// neighbour too: other nodes then ask for no relay over this link.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && isTunnelled(index) ? .relay : kind
    }

    mutating func sendLinkStates(now: Instant) {
        let links = ownLinkStates().settled(after: membership.linkAdvertisement.advertised)
        // A change of quality waits for this check. A made or lost link brings the check forward.
        membership.linkAdvertisement.checked(
            now: now, nextCheckAt: links.isEmpty ? .distantFuture : now + MeshLimits.linkStatesClassInterval)
        let changes = links.changes(since: membership.linkAdvertisement.advertised)
        guard !changes.isEmpty else { return advertiseAgain(links) }
        let before = membership.linkAdvertisement.number
        membership.linkAdvertisement.advertise(links, now: now)
        let whole = CarrierMessage.linkStates(links).encoded()
        let part = CarrierMessage.linkChanges(changes).encoded()
        for index in peers.indices where peers[index].state.isLinked {
            guard let session = peers[index].session, let carrier = session.carrier else { continue }
            counters.count(.linkStatesSent)
            let hasLast = membership[index].ownLinksAdvertised == LinksAdvertised(carrier: carrier, number: before)
            outputs.append(.carrierSend(carrier, hasLast && part.count < whole.count ? part : whole))
            // Until the peer has taken the session over, it may ignore link states: the next ones are sent whole.
            let isAccepted = session.startedAt + MeshLimits.negotiationMax < now
            membership[index].ownLinksAdvertised =
                isAccepted ? LinksAdvertised(carrier: carrier, number: membership.linkAdvertisement.number) : nil
            membership[index].awaitsOwnAdvertisement = false
        }
    }

    /// Sends unchanged link states to the peers that were greeted with different ones, which held only for a moment.
    private mutating func advertiseAgain(_ links: [AdvertisedLink]) {
        for index in peers.indices where membership[index].awaitsOwnAdvertisement && peers[index].state.isLinked {
            guard let carrier = peers[index].session?.carrier else { continue }
            membership[index].awaitsOwnAdvertisement = false
            counters.count(.linkStatesSent)
            send(.linkStates(links), on: carrier)
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
        let links = ownLinkStates().settled(after: membership.linkAdvertisement.advertised)
        membership[index].awaitsOwnAdvertisement = !links.changes(since: membership.linkAdvertisement.advertised)
            .isEmpty
        send(.linkStates(links), on: carrier)
    }

    mutating func receiveLinkStates(_ entries: [AdvertisedLink], on line: CarrierEntry, of index: Int, now: Instant) {
        if peers[index].session?.carrier == line.id {
            read(entries, asLinkStatesOf: index, now: now)
        } else if let candidate = peers[index].candidate, candidate.carrier == line.id {
            candidate.linkStatesBeforeEcho = entries
        } else {
            counters.count(.linkStatesUnexpected)
        }
    }

    mutating func receiveLinkChanges(_ changes: [LinkChange], on line: CarrierEntry, of index: Int, now: Instant) {
        if let session = peers[index].session, session.carrier == line.id {
            let known = membership[index].linkStatesDigest == nil ? nil : membership[index].links
            guard let last = session.linkStatesDeferred?.links ?? known else {
                return counters.count(.linkChangesUnfounded)
            }
            read(last.changed(by: changes), asLinkStatesOf: index, now: now)
        } else if let candidate = peers[index].candidate, candidate.carrier == line.id {
            candidate.linkStatesBeforeEcho = candidate.linkStatesBeforeEcho?.changed(by: changes)
        } else {
            counters.count(.linkStatesUnexpected)
        }
    }

    /// Accepts link states within the peer's allowance. Beyond it, keeps only the newest ones and reads them later:
    /// the sender does not repeat link states, so dropped ones would stay missing.
    private mutating func read(_ links: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        guard membership[index].linkStatesAccepted.take(now: now) else {
            counters.count(.linkStatesOverRate)
            let readAt = session.linkStatesDeferred?.readAt ?? now + MeshLimits.linkStatesAcceptedInterval
            session.linkStatesDeferred = DeferredLinkStates(links: links, readAt: readAt)
            deadlines.needsRefresh = true
            return
        }
        session.linkStatesDeferred = nil
        take(links, asLinkStatesOf: index, now: now)
    }

    mutating func readLate(_ index: Int, now: Instant) {
        guard let unread = peers[index].session?.linkStatesDeferred else { return }
        peers[index].session?.linkStatesDeferred = nil
        read(unread.links, asLinkStatesOf: index, now: now)
    }

    /// Accepts the link states that the peer sent before its echo, because the session has taken over now.
    mutating func acceptLinkStatesBeforeEcho(_ index: Int, now: Instant) {
        guard let links = peers[index].session?.linkStatesBeforeEcho else { return }
        peers[index].session?.linkStatesBeforeEcho = nil
        take(links, asLinkStatesOf: index, now: now)
    }

    private mutating func take(_ entries: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        let known = membership[index].links
        var links: [AdvertisedLink] = []
        for entry in entries.prefix(WireLimits.linkStatesMax) {
            if isGhost(entry.instance, of: entry.peer) {
                counters.count(.ghostLinkStates)
                continue
            }
            links.append(entry)
            repair(entry, after: known, now: now)
        }
        membership[index].links = links
        membership[index].linkStatesDigest = CliqueState.digest(of: links.map(\.peer) + [peers[index].node])
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
        let hasSlot = peers.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), let index = peerIndex(of: entry.peer, now: now), !peers[index].state.isLinked,
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
