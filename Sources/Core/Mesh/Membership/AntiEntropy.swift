import Primitives
import Trust
import Wire

/// Anti-entropy: if the digests of two nodes differ, each sends the other the versions of its records, and each answers
/// with the records that the other lacks.
extension Membership {
    // MARK: Sending versions

    /// Stores the digest in the newest control block of a peer. Returns whether the peer has other records than this
    /// node.
    mutating func storeDigest(_ digest: UInt32, of index: Int) -> Bool {
        let arrived = ArrivedDigest(value: digest, differed: digest != gossip.digest)
        self[index].recordsDigest = arrived
        return arrived.differed
    }

    /// Schedules a comparison of versions with a peer whose digest differs: soon, at most once a second, and more
    /// seldom while comparisons change neither digest. When it is due, `sendVersions` decides whether versions are
    /// sent.
    mutating func scheduleVersions(with index: Int, now: Instant) {
        self[index].versions.differ(
            own: UInt64(gossip.digest), peer: self[index].recordsDigest.map { UInt64($0.value) },
            after: MeshLimits.antiEntropyDelay, now: now)
    }

    /// Sends the versions of this node's records to the peer at `index`, if the peer is a neighbour. The first list of
    /// a session is sent at once, whatever the digests are. A later list is sent only if the peer's newest digest
    /// differs, and already differed when it came. It waits while the allowance `versionsSent` is used up: else a
    /// member that gives some nodes newer records than others would make long lists go out every second.
    mutating func sendVersions(
        to index: Int, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        self[index].versions.cancel()
        guard let neighbour = neighbours.first(where: { $0.slot.index == index }), let carrier = neighbour.carrier
        else { return }
        let isFirst = self[index].versions.sentAt.map { $0 < neighbour.sessionStartedAt } ?? true
        // If the peer's digest agreed when it came, only records that have come since make it differ. Mostly the peer
        // has them too, and its next digest shows it. So this node sends no list yet.
        let differs = self[index].recordsDigest.map { $0.differed && $0.value != gossip.digest } ?? false
        guard isFirst || differs else { return }
        let allowedAt = self[index].versionsSent.nextToken(now: now)
        guard isFirst || allowedAt <= now else { return self[index].versions.postpone(until: allowedAt) }
        self[index].versions.sent(
            own: UInt64(gossip.digest), peer: self[index].recordsDigest.map { UInt64($0.value) }, now: now)
        effects.count(.versionExchanges)
        let list = versions(neighbours, now: now)
        self[index].versionsSent.charge(list.count, now: now)
        effects.send(.recordVersions(list), on: carrier)
    }

    private func versions(_ neighbours: [Neighbour], now: Instant) -> [NodeVersion] {
        var versions = [NodeVersion(node: node, version: own.record.version, seenSecondsAgo: 0)]
        for entry in roster.entries where entry.isTold && (entry.isCurrent(now: now) || entry.record.isLeaving) {
            guard versions.count < WireLimits.recordVersionsPerFrameMax else { break }
            let isLinked = neighbours.contains { $0.node == entry.node }
            versions.append(
                NodeVersion(
                    node: entry.node, version: entry.record.version,
                    seenSecondsAgo: isLinked ? 0 : secondsSinceSeen(entry, now: now)))
        }
        return versions
    }

    /// Returns the age that this node tells others about a subject that is not linked here: the seconds since a node
    /// last saw it, and `MeshLimits.seenSecondsAdded` more; `UInt16.max` for an indirect record. Without the addition,
    /// each node that passes the age on would round it down, and a dead node would appear younger each time.
    private func secondsSinceSeen(_ entry: RosterEntry, now: Instant) -> UInt16 {
        if entry.isIndirect { return .max }
        return UInt16(clamping: (now - entry.seenAt).milliseconds / 1_000 + MeshLimits.seenSecondsAdded)
    }

    // MARK: Answering versions

    /// Whether this node answers one more list of versions of the peer at `index`; counts a list above the allowance.
    mutating func admitsVersions(of index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        if self[index].versionsAnswered.take(now: now) { return true }
        effects.count(.versionsOverRate)
        return false
    }

    /// Sends the records that the peer lacks or has in an older version.
    /// - Parameter instance: the instance of the peer's boot in its session; nil without a session.
    mutating func answerVersions(
        _ versions: [NodeVersion], of index: Int, instance: Instance?, on carrier: CarrierID,
        _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) {
        let peer = self[index].node
        let theirs = versions.sorted { $0.node < $1.node }
        var lacking: [SignedRecord] = []
        var cursor = 0
        var isDigestOld = false
        for entry in roster.entries {
            while cursor < theirs.count, theirs[cursor].node < entry.node { cursor += 1 }
            let their = cursor < theirs.count && theirs[cursor].node == entry.node ? theirs[cursor] : nil
            if !entry.isTold {
                guard their != nil, tellsOf(entry.node, index, now: now) else { continue }
                isDigestOld = true
            }
            if let their, entry.record.version == their.version, their.seenSecondsAgo < .max {
                // `markSeen` ignores an age that is greater than the one known here.
                let seenAt = now - .seconds(Int64(their.seenSecondsAgo))
                if markSeen(entry.node, at: seenAt, now: now) { isDigestOld = true }
            }
            let isNeeded = their.map { $0.version < entry.record.version } ?? entry.isCurrent(now: now)
            // A record of the peer itself is sent to the peer only if the peer runs under a lower instance than that
            // record has: its instance counter was rolled back, and it can advance only with this record.
            let isRolledBack = instance.map { $0 < entry.record.instance } ?? false
            if isNeeded, entry.node != peer || isRolledBack { lacking.append(entry.signed) }
        }
        // Once: a list may change whether each of the records counts.
        if isDigestOld { refreshDigest(neighbours, now: now) }
        if !theirs.contains(where: { $0.node == node && own.record.version <= $0.version }) {
            lacking.insert(own.signed, at: 0)
        }
        let answer = answer(outOf: lacking, &effects)
        effects.push(answer, on: carrier)
    }

    /// Handles a list or a record of the peer at `index` that names a subject of which no neighbour is told yet.
    /// Returns whether the peer's allowance for unknown nodes admits the subject. If so, the neighbours are told of it
    /// from now on, and the caller computes the digest again.
    mutating func tellsOf(_ subject: NodeID, _ index: Int, now: Instant) -> Bool {
        guard subject != self[index].node, let place = roster.index(of: subject),
            self[index].newIdentities.take(now: now)
        else { return false }
        roster[index: place].isTold = true
        return true
    }

    /// Returns at most `recordsPerVersionsMax` records, from a random start in the list. If the start were always the
    /// first record, a peer that cannot store the first ones would never receive the others.
    private func answer(outOf lacking: [SignedRecord], _ effects: inout Effects) -> [SignedRecord] {
        let countMax = capacity.recordsPerVersionsMax
        guard countMax < lacking.count else { return lacking }
        let start = Int(effects.random.below(UInt64(lacking.count)))
        return (0..<countMax).map { lacking[(start + $0) % lacking.count] }
    }
}

/// The digest of a peer's records, as its newest control block has brought it.
struct ArrivedDigest {
    let value: UInt32
    /// Whether it differed from this node's own digest when it came.
    let differed: Bool
}
