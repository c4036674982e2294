import Primitives
import Wire

/// Who is linked to whom, with which quality: each node tells its own row, the rows are the matrix.
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
                    lossClass: AdvertisedLink.lossClass(permille: peers[index].ownReport?.lossPermille)))
        }
        return links
    }

    /// A tunnelled carrier leads through a third as a relay does: who hears of it seeks no help there.
    func advertised(_ kind: PathKind, of index: Int) -> PathKind {
        kind == .carrier && isTunnelled(index) ? .relay : kind
    }

    mutating func sendLinkStates(now: Instant) {
        let links = ownLinkStates().settled(after: linkAdvertisement.advertised)
        // Qualities are looked at now and then; a link made or lost is told soon.
        linkAdvertisement.sent(
            now: now, nextCheckAt: links.isEmpty ? .distantFuture : now + MeshLimits.linkStatesClassInterval)
        let changes = links.changes(since: linkAdvertisement.advertised)
        guard !changes.isEmpty else { return advertiseAgain(links) }
        let before = linkAdvertisement.number
        linkAdvertisement.tell(links, now: now)
        let whole = CarrierMessage.linkStates(links).encoded()
        let part = CarrierMessage.linkChanges(changes).encoded()
        for index in peers.indices where peers[index].state.isLinked {
            guard let session = peers[index].session, let carrier = session.carrier else { continue }
            counters.count(.linkStatesSent)
            let hasLast = peers[index].ownLinksAdvertised == LinksAdvertised(carrier: carrier, number: before)
            outputs.append(.carrierSend(carrier, hasLast && part.count < whole.count ? part : whole))
            // Until the peer has taken the session over, it may not heed a row.
            let isHeeded = session.startedAt + MeshLimits.negotiationMax < now
            peers[index].ownLinksAdvertised =
                isHeeded ? LinksAdvertised(carrier: carrier, number: linkAdvertisement.number) : nil
            peers[index].awaitsOwnAdvertisement = false
        }
    }

    /// Nothing is new, but to those who were greeted with what was true for a moment.
    private mutating func advertiseAgain(_ links: [AdvertisedLink]) {
        for index in peers.indices where peers[index].awaitsOwnAdvertisement && peers[index].state.isLinked {
            guard let carrier = peers[index].session?.carrier else { continue }
            peers[index].awaitsOwnAdvertisement = false
            counters.count(.linkStatesSent)
            send(.linkStates(links), on: carrier)
        }
    }

    /// To a session that is new, or whose link comes back after it has missed something.
    mutating func sendWholeLinkStates(_ index: Int, on carrier: CarrierID) {
        if peers[index].ownLinksAdvertised == LinksAdvertised(carrier: carrier, number: linkAdvertisement.number) {
            return
        }
        // It may differ from what was told last, so the next is whole too.
        peers[index].ownLinksAdvertised = nil
        let links = ownLinkStates().settled(after: linkAdvertisement.advertised)
        peers[index].awaitsOwnAdvertisement = !links.changes(since: linkAdvertisement.advertised).isEmpty
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
            let known = peers[index].linkStatesDigest == nil ? nil : peers[index].links
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

    /// Takes the row where the peer's allowance reaches. Else it waits, the newest alone: a teller tells nothing twice,
    /// so a dropped row would be missing for good.
    private mutating func read(_ links: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        guard peers[index].allowances.linkStatesAccepted.take(now: now) else {
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

    /// The session has been taken over: what its peer told before counts now.
    mutating func acceptLinkStatesBeforeEcho(_ index: Int, now: Instant) {
        guard let links = peers[index].session?.linkStatesBeforeEcho else { return }
        peers[index].session?.linkStatesBeforeEcho = nil
        take(links, asLinkStatesOf: index, now: now)
    }

    private mutating func take(_ entries: [AdvertisedLink], asLinkStatesOf index: Int, now: Instant) {
        let known = peers[index].links
        var links: [AdvertisedLink] = []
        for entry in entries.prefix(WireLimits.linkStatesMax) {
            if isGhost(entry.instance, of: entry.peer) {
                counters.count(.ghostLinkStates)
                continue
            }
            links.append(entry)
            repair(entry, after: known, now: now)
        }
        peers[index].links = links
        peers[index].linkStatesDigest = CliqueState.digest(of: links.map(\.peer) + [peers[index].node])
        clique.isStale = true
        updateRelaysOf(index, now: now)
        reviewSuspicions()
    }

    /// A neighbour is linked to somebody that this node is not linked to: seek them.
    /// - Parameter known: what that neighbour has told before. What it says again, beside a change that concerns
    ///   others, is no new hint: whoever was sought for it in vain is not dialled once more.
    private mutating func repair(_ entry: AdvertisedLink, after known: [AdvertisedLink], now: Instant) {
        guard entry.peer != node, roster.index(of: entry.peer) != nil else { return }
        markSeen(entry.peer, at: now, now: now)
        let hasSlot = peers.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), let index = peerIndex(of: entry.peer, now: now), !peers[index].state.isLinked,
            !hasSlot || !known.contains(where: { $0.peer == entry.peer && $0.instance == entry.instance })
        else { return }
        peers[index].isLearnedByGossip = true
        startConnecting(index, now: now)
    }
}

/// The newest row of a peer that has told more than is read of it, and when it is read.
struct DeferredLinkStates {
    var links: [AdvertisedLink]
    var readAt: Instant
}

extension [AdvertisedLink] {
    /// The row after its teller's changes, no longer than any.
    fileprivate func changed(by changes: [LinkChange]) -> [AdvertisedLink] {
        Array(applying(changes).prefix(WireLimits.linkStatesMax))
    }
}

extension AdvertisedLink {
    /// 0 below 1 ms, then doubling; 15 where it is not known.
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
