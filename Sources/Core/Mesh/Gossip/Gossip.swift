import Primitives
import Trust
import Wire

/// When news leaves, and the digest that tells whether anybody lacks any.
struct GossipSchedule {
    var digest: UInt64 = 0
    /// When the next record stops counting.
    var digestExpiresAt: Instant = .distantFuture
    var newsDueAt: Instant = .distantFuture
    var hasOwnNews = false
}

/// Records: pushed on change and when a session comes up; what a push missed is found by the
/// digest in every control block and healed by comparing versions (anti-entropy).
extension MeshNode {
    // MARK: Taking records in

    /// Whether a link, or what lacks only its echo, has this carrier.
    func isOfLink(_ line: CarrierEntry, of index: Int) -> Bool {
        peers[index].session?.carrier == line.id || peers[index].candidate?.carrier == line.id
    }

    mutating func receiveRecords(_ records: [SignedRecord], on line: CarrierEntry, of index: Int, now: Instant) {
        // Nobody who has not been admitted fills a table.
        guard isOfLink(line, of: index) else { return counters.count(.framesUnexpected) }
        for signed in records {
            guard let subject = sealing.nodeID(ofPublicKey: signed.publicKey), roster[subject]?.signed != signed else {
                continue
            }
            if signed == own.signed { continue }
            guard peers[index].allowances.recordChecks.take(now: now), recordChecks.take(now: now) else {
                counters.count(.recordsOverRate)
                return
            }
            guard let record = try? signed.verified(with: sealing) else {
                counters.count(.recordsForged)
                continue
            }
            if roster.index(of: subject) == nil, !peers[index].allowances.newIdentities.take(now: now) {
                counters.count(.recordsNewOverLimit)
                continue
            }
            accept(record, signed, from: line.slot, isMet: false, now: now)
        }
    }

    /// Takes a verified record in: raises the highest instance seen, replaces an older version,
    /// and seeks whoever is new.
    /// - Parameter isMet: its subject brought it over its own authenticated connection.
    mutating func accept(
        _ record: NodeRecord, _ signed: SignedRecord, from slot: PeerSlot?, isMet: Bool, now: Instant
    ) {
        if record.node == node {
            noteOwnRecord(record, from: slot.map { peers[$0.index].node } ?? node, now: now)
            return
        }
        guard let index = roster.index(of: record.node) else {
            let entry = RosterEntry(record: record, signed: signed, learnedFrom: slot, now: now)
            let neighbours = isMet ? peers.peers.filter(\.state.isLinked).map(\.node) : nil
            // For whoever stands at the door there is always a place.
            guard roster.insert(entry, before: neighbours, now: now) else {
                counters.count(.recordsTableFull)
                return
            }
            markSeenByLinkStates(record.node, now: now)
            handleRecordChange(of: record, isNewBoot: true, from: slot, isMet: isMet, now: now)
            return
        }
        if record.instance < roster[index: index].instanceSeen {
            counters.count(.ghostRecords)
            return
        }
        // Whoever connects for the first time is no member yet; a link says so.
        let isMember = isMet && !roster[index: index].isIndirect
        if isMember, !record.isLeaving { markSeen(record.node, at: now, now: now) }
        let known = roster[index: index].record
        let isOtherBoot = record.instance == known.instance && record.bootNonce != known.bootNonce
        // A second boot under one instance counts only where it proves itself, by its own HELLO.
        if isOtherBoot, !isMet {
            counters.count(.duplicateIdentities)
            return
        }
        guard known.version < record.version || isOtherBoot else { return }
        roster[index: index].replace(record, signed)
        if let peer = peers.index(of: record.node), peers[peer].presence.isDead, !record.isLeaving,
            !isBlocked(record.node)
        {
            suspect(peer, .indirect, now: now)
        }
        roster[index: index].learnedFrom = slot
        if !record.isLeaving {
            isMember ? roster[index: index].markSeen(at: now) : roster[index: index].bring(now: now)
        }
        let isNewBoot = known.instance < record.instance || isOtherBoot
        handleRecordChange(of: record, isNewBoot: isNewBoot, from: slot, isMet: isMet, now: now)
        let isRenamed = known.name != record.name || known.role != record.role || known.colour != record.colour
        if isRenamed, !isBlocked(record.node) {
            tellProfile(record)
        }
    }

    private mutating func handleRecordChange(
        of record: NodeRecord, isNewBoot: Bool, from slot: PeerSlot?, isMet: Bool, now: Instant
    ) {
        let isTold = slot != nil || beaconNews.take(now: now)
        if isTold, let place = roster.index(of: record.node) { roster[index: place].isNews = true }
        gossip.newsDueAt = min(gossip.newsDueAt, now + MeshLimits.gossipDelay)
        refreshDigest(now: now)
        if record.isLeaving {
            handleLeaving(record, from: slot, now: now)
            return
        }
        // Known, so that the digests agree, and not sought.
        if isBlocked(record.node) { return }
        guard let index = peerIndex(of: record.node, now: now) else {
            counters.count(.peersTableFull)
            return
        }
        peers[index].addresses.replaceGossiped(with: record.endpoints)
        if isMet { return }
        if isNewBoot { hear(of: record.instance, record.bootNonce, of: index, now: now) }
        guard !peers[index].state.isLinked else {
            // It has moved, perhaps; where this node has moved too, neither hears the other otherwise.
            if !isNewBoot { challengeAddresses(index, isAgain: false, now: now) }
            return
        }
        if slot != nil { peers[index].isLearnedByGossip = true }
        startConnecting(index, now: now)
        if isNewBoot { connectAtOnce(index, now: now) }
    }

    private mutating func handleLeaving(_ record: NodeRecord, from slot: PeerSlot?, now: Instant) {
        guard let index = peers.index(of: record.node) else { return }
        peers[index].wantedUntil = .zero
        peers[index].connectRequests.end()
        // From itself, LEAVE follows on the same carrier; a neighbour's word comes instead of it.
        if slot == peers[index].slot { return }
        // What was agreed with that boot goes with it: the first echo, under way already, would bring the link back.
        let isAgreementOver = peers[index].candidate.map { $0.instance <= record.instance } ?? false
        if isAgreementOver { closeCandidate(index) }
        if let session = peers[index].session {
            if session.instance <= record.instance { endSession(index, .left, dialAt: .distantFuture, now: now) }
        } else if isAgreementOver {
            // An attempt without its carrier would turn the next boot away until its time is over.
            endSession(index, .left, dialAt: .distantFuture, now: now)
        } else {
            peers[index].presence = .left
        }
    }

    private mutating func tellProfile(_ record: NodeRecord) {
        outputs.append(
            .event(.peerProfile(record.node, name: record.name, role: record.role, colour: record.colour)))
    }

    /// The subject was met: by this node, or by a neighbour that says so. Who counts again changes the digest.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) {
        guard let index = roster.index(of: peer) else { return }
        let wasSeenRecently = roster[index: index].isSeenRecently(now: now)
        roster[index: index].markSeen(at: at)
        let isSeenRecently = roster[index: index].isSeenRecently(now: now)
        if isSeenRecently != wasSeenRecently { return refreshDigest(now: now) }
        // What was indirect may count for less time than it would have.
        if isSeenRecently { gossip.digestExpiresAt = min(gossip.digestExpiresAt, roster[index: index].expiresAt) }
    }

    /// A neighbour's row may have come before the record: it is linked to the subject.
    private mutating func markSeenByLinkStates(_ subject: NodeID, now: Instant) {
        let isInRow = peers.indices.contains { index in
            peers[index].state.isLinked && peers[index].links.contains { $0.peer == subject }
        }
        if isInRow { markSeen(subject, at: now, now: now) }
    }

    /// Rows are told where they change; until then what they say holds.
    mutating func markSeenByNeighbours(now: Instant) {
        for index in peers.indices where peers[index].state.isLinked {
            for entry in peers[index].links { markSeen(entry.peer, at: now, now: now) }
        }
    }

    mutating func refreshDigest(now: Instant) {
        for index in peers.indices where peers[index].state.isLinked {
            if let place = roster.index(of: peers[index].node) { roster[index: place].markSeen(at: now) }
        }
        gossip.digest = roster.digest(now: now) ^ own.digestTerm
        gossip.digestExpiresAt = roster.nextExpiry(now: now)
        clique.isStale = true
    }

    // MARK: Telling

    /// Sends what is new to every neighbour but the one that brought it, and those whom its subject tells itself.
    mutating func pushNews(now: Instant) {
        gossip.newsDueAt = .distantFuture
        var news: [RosterEntry] = []
        for index in roster.entries.indices where roster[index: index].isNews {
            let allowedAt = roster[index: index].newsAllowedAt
            guard allowedAt <= now else {
                gossip.newsDueAt = min(gossip.newsDueAt, allowedAt)
                continue
            }
            roster[index: index].isNews = false
            roster[index: index].newsAllowedAt = now + MeshLimits.newsInterval
            news.append(roster[index: index])
        }
        for index in peers.indices where peers[index].state.isLinked {
            guard let carrier = peers[index].session?.carrier else { continue }
            let (slot, peer) = (peers[index].slot, peers[index].node)
            var records = news.filter { $0.learnedFrom != slot && $0.node != peer && !isTold($0, to: peer) }
                .map(\.signed)
            if gossip.hasOwnNews { records.insert(own.signed, at: 0) }
            push(records, on: carrier)
        }
        gossip.hasOwnNews = false
    }

    /// The news came from its subject, which is linked to `peer` by its own word: a record's change costs a clique one
    /// frame a node. Where that word was wrong, the digests differ and anti-entropy heals it.
    private func isTold(_ entry: RosterEntry, to peer: NodeID) -> Bool {
        guard let subject = peers.index(of: entry.node), entry.learnedFrom == peers[subject].slot else { return false }
        return peers[subject].links.contains { $0.peer == peer }
    }

    private mutating func push(_ records: [SignedRecord], on carrier: CarrierID) {
        for start in stride(from: 0, to: records.count, by: WireLimits.recordsPerFrameMax) {
            let end = min(start + WireLimits.recordsPerFrameMax, records.count)
            counters.count(.recordsPushed, by: UInt64(end - start))
            send(.records(Array(records[start..<end])), on: carrier)
        }
    }

    /// First words of a session: channels, who else is here, and which versions are known.
    mutating func greetSession(_ index: Int, now: Instant) {
        guard let carrier = peers[index].session?.carrier else { return }
        send(.channels(configuration.channels), on: carrier)
        sendWholeLinkStates(index, on: carrier)
        peers[index].versions.begin(now: now)
        deadlines.needsRefresh = true
    }

    // MARK: Anti-entropy

    /// The peer's digest differs: compare soon, at most once a second, unless news heals it first.
    mutating func scheduleVersions(_ index: Int, now: Instant) {
        guard let session = peers[index].session, session.carrier != nil else { return }
        peers[index].versions.differ(own: gossip.digest, peer: session.peerDigest, now: now)
    }

    mutating func sendVersions(to index: Int, now: Instant) {
        peers[index].versions.end()
        guard peers[index].state.isLinked, let session = peers[index].session, let carrier = session.carrier
        else { return }
        let isFirst = peers[index].versions.sentAt.map { $0 < session.startedAt } ?? true
        guard isFirst || session.peerDigest != gossip.digest else { return }
        peers[index].versions.sent(own: gossip.digest, peer: session.peerDigest, now: now)
        counters.count(.versionExchanges)
        var versions = [NodeVersion(node: node, version: own.record.version, seenSecondsAgo: 0)]
        for entry in roster.entries where entry.isSeenRecently(now: now) || entry.record.isLeaving {
            guard versions.count < WireLimits.recordVersionsPerFrameMax else { break }
            versions.append(
                NodeVersion(
                    node: entry.node, version: entry.record.version,
                    seenSecondsAgo: secondsSinceSeen(entry, now: now)))
        }
        send(.recordVersions(versions), on: carrier)
    }

    /// Since the subject was met; a living link meets it all the time. Of anybody else it is more than the truth: told
    /// on and on, what is rounded down would make the dead ever younger.
    private func secondsSinceSeen(_ entry: RosterEntry, now: Instant) -> UInt16 {
        if let index = peers.index(of: entry.node), peers[index].state.isLinked { return 0 }
        if entry.isIndirect { return .max }
        return UInt16(clamping: (now - entry.seenAt).milliseconds / 1_000 + MeshLimits.seenSecondsAdded)
    }

    /// Whether a list of versions on this carrier is read, and answered; one that is not is counted.
    mutating func admitsVersions(on line: CarrierEntry, now: Instant) -> Bool {
        let index = line.slot.index
        guard isOfLink(line, of: index) else {
            counters.count(.framesUnexpected)
            return false
        }
        guard peers[index].allowances.versionsAnswered.take(now: now) else {
            counters.count(.versionsOverRate)
            return false
        }
        return true
    }

    /// Sends what the peer lacks or has an older version of; `admitsVersions` has been asked.
    mutating func receiveVersions(_ versions: [NodeVersion], on line: CarrierEntry, of index: Int, now: Instant) {
        let theirs = versions.sorted { $0.node < $1.node }
        var lacking: [SignedRecord] = []
        var cursor = 0
        for entry in roster.entries {
            while cursor < theirs.count, theirs[cursor].node < entry.node { cursor += 1 }
            let their = cursor < theirs.count && theirs[cursor].node == entry.node ? theirs[cursor] : nil
            if let their, entry.record.version == their.version, their.seenSecondsAgo < .max {
                // Only the smaller age counts.
                markSeen(entry.node, at: now - .seconds(Int64(their.seenSecondsAgo)), now: now)
            }
            let isNeeded = their.map { $0.version < entry.record.version } ?? entry.isSeenRecently(now: now)
            // Its own record it needs only where its counter was rolled back.
            let isRolledBack = (peers[index].session?.instance).map { $0 < entry.record.instance } ?? false
            if isNeeded, entry.node != peers[index].node || isRolledBack { lacking.append(entry.signed) }
        }
        if !theirs.contains(where: { $0.node == node && own.record.version <= $0.version }) {
            lacking.insert(own.signed, at: 0)
        }
        push(answer(outOf: lacking), on: line.id)
    }

    /// As many as one answer holds, from anywhere in the list on: were it always the first, a peer that can't take
    /// those would never be told of the others.
    private mutating func answer(outOf lacking: [SignedRecord]) -> [SignedRecord] {
        let countMax = configuration.capacity.recordsPerVersionsMax
        guard countMax < lacking.count else { return lacking }
        let start = Int(random.below(UInt64(lacking.count)))
        return (0..<countMax).map { lacking[(start + $0) % lacking.count] }
    }

    // MARK: The own record

    mutating func changeOwnRecord(now: Instant, _ body: (inout NodeRecord) -> Void) {
        guard own.change(sealing: sealing, body) else { return }
        gossip.hasOwnNews = true
        gossip.newsDueAt = min(gossip.newsDueAt, now)
        refreshDigest(now: now)
        outputs.append(.announce(own.record))
    }
}
