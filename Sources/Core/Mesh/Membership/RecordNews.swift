import Primitives
import Trust
import Wire

/// Gossip of records. A node sends a record that has changed to its neighbours (push), and compares versions when a
/// link comes up. If a peer has missed a push, the digests in the control blocks differ. A comparison of versions then
/// repairs the difference (anti-entropy).
extension Membership {
    /// Changes this node's own record, and passes it on now if anything differs.
    mutating func changeOwnRecord(
        sealing: any Sealing, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant,
        _ body: (inout NodeRecord) -> Void
    ) {
        guard own.change(sealing: sealing, body) else { return }
        gossip.scheduleOwnNews(now: now)
        refreshDigest(neighbours, now: now)
        effects.output(.announce(own.record))
    }

    /// Signs a last record, which says that this node leaves.
    mutating func leave(sealing: any Sealing) { _ = own.change(sealing: sealing) { $0.isLeaving = true } }

    /// Sends changed records to the neighbours. A record is not sent to its subject, to the neighbour that sent it,
    /// or to neighbours to which its subject sends it itself.
    mutating func pushNews(to neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        let hasOwnNews = gossip.beginPush()
        tellOfNewNodes(neighbours, &effects, now: now)
        let news = collectNews(now: now)
        for neighbour in neighbours {
            guard let carrier = neighbour.carrier else { continue }
            var records = news.filter { entry in
                entry.learnedFrom != neighbour.slot && entry.node != neighbour.node
                    && !isSentBySubject(entry, to: neighbour)
            }.map(\.signed)
            if hasOwnNews { records.insert(own.signed, at: 0) }
            effects.push(records, on: carrier)
        }
    }

    /// Makes news of linked nodes of which no neighbour was told, as far as `NewsAllowances.newNodes` permits. Chance
    /// decides which of them come first; the others wait.
    private mutating func tellOfNewNodes(_ neighbours: [Neighbour], _ effects: inout Effects, now: Instant) {
        let untold = roster.entries.filter { !$0.isTold && $0.isCurrent(now: now) }.map(\.node)
        guard !untold.isEmpty else { return }
        gossip.scheduleNews(at: now + MeshLimits.newIdentityInterval)
        var linked = untold.filter { peer in neighbours.contains { $0.node == peer } }
        while !linked.isEmpty, newsAllowances.newNodes.take(now: now) {
            let peer = linked.remove(at: Int(effects.random.below(UInt64(linked.count))))
            guard let index = roster.index(of: peer) else { continue }
            roster[index: index].isTold = true
            roster[index: index].isNews = true
            refreshDigest(neighbours, now: now)
        }
    }

    /// Returns the roster entries whose changed record may be passed on now: the record of one node at most once in
    /// `MeshLimits.newsInterval`. The other entries wait until then.
    private mutating func collectNews(now: Instant) -> [RosterEntry] {
        var news: [RosterEntry] = []
        for index in roster.entries.indices where roster[index: index].isNews {
            let allowedAt = roster[index: index].newsAllowedAt
            guard allowedAt <= now else {
                gossip.scheduleNews(at: allowedAt)
                continue
            }
            roster[index: index].isNews = false
            roster[index: index].newsAllowedAt = now + MeshLimits.newsInterval
            news.append(roster[index: index])
        }
        return news
    }

    /// Whether the subject itself sent this record and is linked with the neighbour, so that it sends the record there
    /// too. In a clique, a change of a record then costs one frame for each node. It is enough if one of the two, the
    /// subject or the neighbour, advertises the link. Otherwise a subject that advertises no link and changes its
    /// record again and again would make each node send each change to every other. If the link does not exist, the
    /// digests differ, and anti-entropy repairs the difference.
    private func isSentBySubject(_ entry: RosterEntry, to neighbour: Neighbour) -> Bool {
        guard let sender = entry.learnedFrom, self[sender.index].node == entry.node else { return false }
        if self[sender.index].links[neighbour.node] != nil { return true }
        // In two cases the link states of the neighbour do not suffice, and this node sends it the record. A subject
        // that leaves sends nothing more through its tunnels. A neighbour that names an earlier instance of the subject
        // needs the news of the present boot.
        return !entry.record.isLeaving
            && self[neighbour.slot.index].links[entry.node]?.instance == entry.record.instance
    }
}

extension Effects {
    /// Sends records, in as many frames as they need.
    mutating func push(_ records: [SignedRecord], on carrier: CarrierID) {
        for start in stride(from: 0, to: records.count, by: WireLimits.recordsPerFrameMax) {
            let end = min(start + WireLimits.recordsPerFrameMax, records.count)
            count(.recordsPushed, by: UInt64(end - start))
            send(.records(Array(records[start..<end])), on: carrier)
        }
    }
}

/// When changed records are sent, and the digest that neighbours compare with theirs.
struct GossipSchedule {
    private(set) var digest: UInt32 = 0
    /// When the next record stops counting; then `digest` is computed again.
    private(set) var digestExpiresAt: Instant = .distantFuture
    private(set) var newsDueAt: Instant = .distantFuture
    private var hasOwnNews = false

    mutating func setDigest(_ digest: UInt32, expiresAt: Instant) {
        (self.digest, digestExpiresAt) = (digest, expiresAt)
    }

    mutating func expireDigest(by instant: Instant) { digestExpiresAt = min(digestExpiresAt, instant) }

    mutating func scheduleNews(at instant: Instant) { newsDueAt = min(newsDueAt, instant) }

    mutating func scheduleOwnNews(now: Instant) {
        hasOwnNews = true
        scheduleNews(at: now)
    }

    /// Begins to send all changed records; returns whether this node's own record is among them.
    mutating func beginPush() -> Bool {
        defer { hasOwnNews = false }
        newsDueAt = .distantFuture
        return hasOwnNews
    }
}
