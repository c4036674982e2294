import Primitives
import Trust
import Wire

/// When changed records are sent, and the digest that neighbours compare with theirs.
struct GossipSchedule {
    var digest: UInt64 = 0
    /// When the next record stops counting; then `digest` is computed again.
    var digestExpiresAt: Instant = .distantFuture
    var newsDueAt: Instant = .distantFuture
    var hasOwnNews = false
}

/// Gossip of records. A node pushes a record that has changed, and compares versions when a link comes up. If a peer
/// has missed a push, the digests in the control blocks differ; then a comparison of versions repairs the difference
/// (anti-entropy).
extension MeshNode {
    // MARK: Receiving records

    /// Whether this carrier belongs to the peer's session or to its candidate.
    func isOfLink(_ line: CarrierEntry, of index: Int) -> Bool {
        links[index].session?.carrier == line.id || links[index].candidate?.carrier == line.id
    }

    mutating func receiveRecords(_ records: [SignedRecord], on line: CarrierEntry, of index: Int, now: Instant) {
        // Only a peer with a session or a candidate on this carrier may fill the roster.
        guard isOfLink(line, of: index) else { return effects.count(.framesUnexpected) }
        for signed in records {
            guard let subject = sealing.nodeID(ofPublicKey: signed.publicKey),
                membership.roster[subject]?.signed != signed
            else {
                continue
            }
            if signed == membership.own.signed { continue }
            guard membership[index].recordChecks.take(now: now), membership.recordChecks.take(now: now) else {
                effects.count(.recordsOverRate)
                return
            }
            guard let record = try? signed.verified(with: sealing) else {
                effects.count(.recordsForged)
                continue
            }
            if membership.roster.index(of: subject) == nil, !membership[index].newIdentities.take(now: now) {
                effects.count(.recordsNewOverLimit)
                continue
            }
            accept(record, signed, from: line.slot, isFromSubject: false, now: now)
        }
    }

    /// Stores a verified record: raises the highest instance seen, replaces an older version, and connects to a
    /// subject that has no link to this node.
    /// - Parameters:
    ///   - slot: the peer that sent the record; nil for a record from a beacon.
    ///   - isFromSubject: whether the subject itself sent the record, in its HELLO.
    mutating func accept(
        _ record: NodeRecord, _ signed: SignedRecord, from slot: PeerSlot?, isFromSubject: Bool, now: Instant
    ) {
        if record.node == node {
            compareOwnRecord(record, from: slot.map { links[$0.index].node } ?? node, now: now)
            return
        }
        guard let index = membership.roster.index(of: record.node) else {
            let entry = RosterEntry(record: record, signed: signed, learnedFrom: slot, now: now)
            let neighbours = isFromSubject ? links.all.filter(\.state.isLinked).map(\.node) : nil
            // There is always room for a subject that is connected (`isFromSubject`): another entry gives way.
            guard membership.roster.insert(entry, before: neighbours, now: now) else {
                effects.count(.recordsTableFull)
                return
            }
            markSeenByLinkStates(record.node, now: now)
            handleRecordChange(of: record, isNewBoot: true, from: slot, isFromSubject: isFromSubject, now: now)
            return
        }
        if record.instance < membership.roster[index: index].instanceSeen {
            effects.count(.ghostRecords)
            return
        }
        // A HELLO alone does not count as seen: before it, a node of the mesh must have been linked with the subject.
        let isMember = isFromSubject && !membership.roster[index: index].isIndirect
        if isMember, !record.isLeaving { markSeen(record.node, at: now, now: now) }
        let known = membership.roster[index: index].record
        let isOtherBoot = record.instance == known.instance && record.bootNonce != known.bootNonce
        // Another boot of the same instance is accepted only from its own HELLO.
        if isOtherBoot, !isFromSubject {
            effects.count(.duplicateIdentities)
            return
        }
        guard known.version < record.version || isOtherBoot else { return }
        membership.roster[index: index].replace(record, signed)
        if let peer = links.index(of: record.node), detector[peer].presence.isDead, !record.isLeaving,
            !isBlocked(record.node)
        {
            suspect(peer, .indirect, now: now)
        }
        membership.roster[index: index].learnedFrom = slot
        if !record.isLeaving {
            isMember
                ? membership.roster[index: index].markSeen(at: now)
                : membership.roster[index: index].markIndirect(now: now)
        }
        let isNewBoot = known.instance < record.instance || isOtherBoot
        handleRecordChange(of: record, isNewBoot: isNewBoot, from: slot, isFromSubject: isFromSubject, now: now)
        let isRenamed = known.name != record.name || known.role != record.role || known.colour != record.colour
        if isRenamed, !isBlocked(record.node) {
            reportProfile(record)
        }
    }

    private mutating func handleRecordChange(
        of record: NodeRecord, isNewBoot: Bool, from slot: PeerSlot?, isFromSubject: Bool, now: Instant
    ) {
        let isTold = slot != nil || membership.beaconNews.take(now: now)
        if isTold, let place = membership.roster.index(of: record.node) {
            membership.roster[index: place].isNews = true
        }
        membership.gossip.newsDueAt = min(membership.gossip.newsDueAt, now + MeshLimits.gossipDelay)
        refreshDigest(now: now)
        if record.isLeaving {
            handleLeaving(record, from: slot, now: now)
            return
        }
        // A blocked node stays in the roster, so that the digests agree, but this node does not connect to it.
        if isBlocked(record.node) { return }
        guard let index = peerIndex(of: record.node, now: now) else {
            effects.count(.peersTableFull)
            return
        }
        reachability[index].addresses.replaceGossiped(with: record.endpoints)
        if isFromSubject { return }
        if isNewBoot { handleReportedBoot(of: record.instance, record.bootNonce, of: index, now: now) }
        guard !links[index].state.isLinked else {
            // The peer's addresses may have changed. If this node's addresses have changed too, neither side receives
            // the other's datagrams until one of them challenges a new address.
            if !isNewBoot { challengeAddresses(index, isAgain: false, now: now) }
            return
        }
        if slot != nil { reachability[index].isLearnedByGossip = true }
        startConnecting(index, now: now)
        if isNewBoot { connectAtOnce(index, now: now) }
    }

    private mutating func handleLeaving(_ record: NodeRecord, from slot: PeerSlot?, now: Instant) {
        guard let index = links.index(of: record.node) else { return }
        reachability[index].wantedUntil = .zero
        reachability[index].connectRequests.end()
        // The leaving node sends its LEAVE on the same carrier right after this record. Where a neighbour has passed
        // the record on, no LEAVE comes, and the record counts as one.
        if slot == links[index].slot { return }
        // A candidate with the leaving boot ends too: its first echo may be under way and would bring the link up.
        let isAgreementOver = links[index].candidate.map { $0.instance <= record.instance } ?? false
        if isAgreementOver { closeCandidate(index) }
        if let session = links[index].session {
            if session.instance <= record.instance { endSession(index, .left, dialAt: .distantFuture, now: now) }
        } else if isAgreementOver {
            // An attempt without its carrier would turn the next boot away until the attempt's deadline.
            endSession(index, .left, dialAt: .distantFuture, now: now)
        } else {
            detector[index].presence = .left
        }
    }

    private mutating func reportProfile(_ record: NodeRecord) {
        effects.report(.peerProfile(record.node, name: record.name, role: record.role, colour: record.colour))
    }

    /// Notes that this node or a neighbour saw the peer at `at`. A record that counts again changes the digest.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) {
        guard let index = membership.roster.index(of: peer) else { return }
        let wasCurrent = membership.roster[index: index].isCurrent(now: now)
        membership.roster[index: index].markSeen(at: at)
        let isCurrent = membership.roster[index: index].isCurrent(now: now)
        if isCurrent != wasCurrent { return refreshDigest(now: now) }
        // A record that was indirect until now may expire earlier than before.
        if isCurrent {
            membership.gossip.digestExpiresAt = min(
                membership.gossip.digestExpiresAt, membership.roster[index: index].expiresAt)
        }
    }

    /// Marks the subject of a new record as seen if a linked neighbour advertises a link to it: the link states may
    /// have come before the record.
    private mutating func markSeenByLinkStates(_ subject: NodeID, now: Instant) {
        let isAdvertised = links.indices.contains { index in
            links[index].state.isLinked && membership[index].links.contains { $0.peer == subject }
        }
        if isAdvertised { markSeen(subject, at: now, now: now) }
    }

    /// Marks all peers in the link states of linked neighbours as seen now. Nodes send link states only when they
    /// change, so the last ones still hold.
    mutating func markSeenByNeighbours(now: Instant) {
        for index in links.indices where links[index].state.isLinked {
            for entry in membership[index].links { markSeen(entry.peer, at: now, now: now) }
        }
    }

    mutating func refreshDigest(now: Instant) {
        for index in links.indices where links[index].state.isLinked {
            if let place = membership.roster.index(of: links[index].node) {
                membership.roster[index: place].markSeen(at: now)
            }
        }
        membership.gossip.digest = membership.roster.digest(now: now) ^ membership.own.digestTerm
        membership.gossip.digestExpiresAt = membership.roster.nextExpiry(now: now)
        membership.clique.isStale = true
    }

    // MARK: Sending

    /// Sends changed records to the neighbours. A record is not sent to its subject, to the neighbour that sent it,
    /// or to neighbours to which its subject sends it itself.
    mutating func pushNews(now: Instant) {
        membership.gossip.newsDueAt = .distantFuture
        var news: [RosterEntry] = []
        for index in membership.roster.entries.indices where membership.roster[index: index].isNews {
            let allowedAt = membership.roster[index: index].newsAllowedAt
            guard allowedAt <= now else {
                membership.gossip.newsDueAt = min(membership.gossip.newsDueAt, allowedAt)
                continue
            }
            membership.roster[index: index].isNews = false
            membership.roster[index: index].newsAllowedAt = now + MeshLimits.newsInterval
            news.append(membership.roster[index: index])
        }
        for index in links.indices where links[index].state.isLinked {
            guard let carrier = links[index].session?.carrier else { continue }
            let (slot, peer) = (links[index].slot, links[index].node)
            var records = news.filter { $0.learnedFrom != slot && $0.node != peer && !isTold($0, to: peer) }
                .map(\.signed)
            if membership.gossip.hasOwnNews { records.insert(membership.own.signed, at: 0) }
            push(records, on: carrier)
        }
        membership.gossip.hasOwnNews = false
    }

    /// Whether the subject itself sent this record and advertises a link to `peer`, so that it sends the record to
    /// `peer` too. In a clique, a change of a record then costs one frame for each node. If the advertised link does
    /// not exist, the digests differ, and anti-entropy repairs the difference.
    private func isTold(_ entry: RosterEntry, to peer: NodeID) -> Bool {
        guard let subject = links.index(of: entry.node), entry.learnedFrom == links[subject].slot else { return false }
        return membership[subject].links.contains { $0.peer == peer }
    }

    private mutating func push(_ records: [SignedRecord], on carrier: CarrierID) {
        for start in stride(from: 0, to: records.count, by: WireLimits.recordsPerFrameMax) {
            let end = min(start + WireLimits.recordsPerFrameMax, records.count)
            effects.count(.recordsPushed, by: UInt64(end - start))
            effects.send(.records(Array(records[start..<end])), on: carrier)
        }
    }

    /// Sends the channels and the link states when a link comes up, and makes a comparison of versions due.
    mutating func greetSession(_ index: Int, now: Instant) {
        guard let carrier = links[index].session?.carrier else { return }
        effects.send(.channels(configuration.channels), on: carrier)
        sendWholeLinkStates(index, on: carrier)
        membership[index].versions.begin(now: now)
        effects.invalidateDeadlines()
    }

    // MARK: Anti-entropy

    /// Schedules a comparison of versions with a peer whose digest differs: soon, at most once a second. It is left
    /// out if the digests agree by then.
    mutating func scheduleVersions(_ index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership[index].versions.differ(
            own: membership.gossip.digest, peer: membership[index].recordsDigest, now: now)
    }

    mutating func sendVersions(to index: Int, now: Instant) {
        membership[index].versions.end()
        guard links[index].state.isLinked, let session = links[index].session, let carrier = session.carrier
        else { return }
        let isFirst = membership[index].versions.sentAt.map { $0 < session.startedAt } ?? true
        guard isFirst || membership[index].recordsDigest != membership.gossip.digest else { return }
        membership[index].versions.sent(
            own: membership.gossip.digest, peer: membership[index].recordsDigest, now: now)
        effects.count(.versionExchanges)
        var versions = [NodeVersion(node: node, version: membership.own.record.version, seenSecondsAgo: 0)]
        for entry in membership.roster.entries where entry.isCurrent(now: now) || entry.record.isLeaving {
            guard versions.count < WireLimits.recordVersionsPerFrameMax else { break }
            versions.append(
                NodeVersion(
                    node: entry.node, version: entry.record.version,
                    seenSecondsAgo: secondsSinceSeen(entry, now: now)))
        }
        effects.send(.recordVersions(versions), on: carrier)
    }

    /// Returns the seconds since the subject was last seen: 0 for a linked peer, `UInt16.max` for an indirect record.
    /// For others it adds `MeshLimits.seenSecondsAdded`. Without that, each node that passes the value on would round
    /// it down, and a dead node would appear younger each time.
    private func secondsSinceSeen(_ entry: RosterEntry, now: Instant) -> UInt16 {
        if let index = links.index(of: entry.node), links[index].state.isLinked { return 0 }
        if entry.isIndirect { return .max }
        return UInt16(clamping: (now - entry.seenAt).milliseconds / 1_000 + MeshLimits.seenSecondsAdded)
    }

    /// Whether this node reads and answers a list of versions on this carrier; counts a list that it rejects.
    mutating func admitsVersions(on line: CarrierEntry, now: Instant) -> Bool {
        let index = line.slot.index
        guard isOfLink(line, of: index) else {
            effects.count(.framesUnexpected)
            return false
        }
        guard membership[index].versionsAnswered.take(now: now) else {
            effects.count(.versionsOverRate)
            return false
        }
        return true
    }

    /// Sends the records that the peer lacks or has in an older version. The caller has checked `admitsVersions`.
    mutating func receiveVersions(_ versions: [NodeVersion], on line: CarrierEntry, of index: Int, now: Instant) {
        let theirs = versions.sorted { $0.node < $1.node }
        var lacking: [SignedRecord] = []
        var cursor = 0
        for entry in membership.roster.entries {
            while cursor < theirs.count, theirs[cursor].node < entry.node { cursor += 1 }
            let their = cursor < theirs.count && theirs[cursor].node == entry.node ? theirs[cursor] : nil
            if let their, entry.record.version == their.version, their.seenSecondsAgo < .max {
                // `markSeen` ignores an age that is greater than the one known here.
                markSeen(entry.node, at: now - .seconds(Int64(their.seenSecondsAgo)), now: now)
            }
            let isNeeded = their.map { $0.version < entry.record.version } ?? entry.isCurrent(now: now)
            // The peer needs its own record only if its instance counter was rolled back.
            let isRolledBack = (links[index].session?.instance).map { $0 < entry.record.instance } ?? false
            if isNeeded, entry.node != links[index].node || isRolledBack { lacking.append(entry.signed) }
        }
        if !theirs.contains(where: { $0.node == node && membership.own.record.version <= $0.version }) {
            lacking.insert(membership.own.signed, at: 0)
        }
        push(answer(outOf: lacking), on: line.id)
    }

    /// Returns at most `recordsPerVersionsMax` records, from a random start in the list. If the start were always the
    /// first record, a peer that cannot store the first ones would never receive the others.
    private mutating func answer(outOf lacking: [SignedRecord]) -> [SignedRecord] {
        let countMax = configuration.capacity.recordsPerVersionsMax
        guard countMax < lacking.count else { return lacking }
        let start = Int(effects.random.below(UInt64(lacking.count)))
        return (0..<countMax).map { lacking[(start + $0) % lacking.count] }
    }

    // MARK: Own record

    mutating func changeOwnRecord(now: Instant, _ body: (inout NodeRecord) -> Void) {
        guard membership.own.change(sealing: sealing, body) else { return }
        membership.gossip.hasOwnNews = true
        membership.gossip.newsDueAt = min(membership.gossip.newsDueAt, now)
        refreshDigest(now: now)
        effects.output(.announce(membership.own.record))
    }
}
