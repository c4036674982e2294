import Primitives
import Trust
import Wire

/// Records that come to this node, and what follows from them for the link to their subject.
///
///     RECORDS, HELLO, beacon, connect request
///          │ Membership checks and stores
///          ├─ ignored
///          ├─ leaves ───► the session with the leaving boot ends
///          └─ changed ──► new addresses; a new boot replaces the old one; connect where there is no link
///
extension MeshNode {
    mutating func receiveRecords(_ records: [SignedRecord], on carrier: CarrierEntry, of index: Int, now: Instant) {
        // Only a peer with a session or a candidate on this carrier may fill the roster.
        guard links[index].role(of: carrier.id) != nil else { return effects.count(.framesUnexpected) }
        for signed in records {
            switch membership.check(signed, from: index, with: sealing, &effects, now: now) {
            case .genuine(let record): acceptRecord(record, signed, from: carrier.slot, isFromSubject: false, now: now)
            case .rejected: continue
            case .isOverRate: return
            }
        }
    }

    /// Stores a verified record that is newer than the known one. Then connects to its subject, unless the two are
    /// linked, the subject is blocked or leaves, or it has sent the record in its own HELLO.
    /// - Parameters:
    ///   - slot: the peer that sent the record; nil for a record from a beacon.
    ///   - isFromSubject: whether the subject itself sent the record, in its HELLO.
    ///   - beaconSource: the source address of the beacon; nil if the record came on a carrier.
    mutating func acceptRecord(
        _ record: NodeRecord, _ signed: SignedRecord, from slot: PeerSlot?, isFromSubject: Bool,
        beaconSource: Endpoint? = nil, now: Instant
    ) {
        let received = ReceivedRecord(
            record: record, signed: signed, sender: slot, isFromSubject: isFromSubject, beaconSource: beaconSource)
        switch membership.accept(received, neighbours, &effects, now: now) {
        case .ignored: return
        case .first: handleChange(received, isNewBoot: true, now: now)
        case .newer(let isNewBoot, let hasNewProfile):
            doubtDeath(by: record, now: now)
            handleChange(received, isNewBoot: isNewBoot, now: now)
            guard hasNewProfile, !isBlocked(record.node) else { return }
            effects.report(.peerProfile(record.node, record.profile))
        }
    }

    /// Changes a dead peer back to suspected, because that peer, or another boot of it, has signed a newer record.
    private mutating func doubtDeath(by record: NodeRecord, now: Instant) {
        guard let index = links.index(of: record.node), detector[index].presence.isDead, !record.isLeaving,
            !isBlocked(record.node)
        else { return }
        suspect(index, .indirect, now: now)
    }

    private mutating func handleChange(_ received: ReceivedRecord, isNewBoot: Bool, now: Instant) {
        let record = received.record
        if record.isLeaving { return handleLeaving(received, now: now) }
        // A blocked node stays in the roster, so that the digests agree, but this node does not connect to it.
        if isBlocked(record.node) { return }
        guard let index = peerIndex(of: record.node) else { return effects.count(.peersTableFull) }
        reachability[index].replaceAddresses(with: record.endpoints)
        if received.isFromSubject { return }
        if isNewBoot { handleReportedBoot(of: record.instance, record.bootNonce, of: index, now: now) }
        guard !links[index].state.isLinked else {
            // The peer's addresses may have changed. If this node's addresses have changed too, neither side receives
            // the other's datagrams until one of them sends a path challenge to a new address of the other.
            if !isNewBoot { challengeAddresses(index, isAgain: false, now: now) }
            return
        }
        if received.sender != nil { reachability[index].learnByGossip() }
        // The record may name no address that this node may dial. Without the source, the first attempt would fail.
        if let source = received.beaconSource, let port = record.endpoints.first?.port {
            reachability[index].addBeaconSource(source, port: port)
        }
        startConnecting(index, now: now)
        if isNewBoot { connectAtOnce(index, now: now) }
    }

    private mutating func handleLeaving(_ received: ReceivedRecord, now: Instant) {
        let record = received.record
        guard let index = links.index(of: record.node) else { return }
        reachability[index].giveUp()
        // The leaving node sends its LEAVE on the same carrier right after its leaving record. Where a neighbour has
        // passed the leaving record on, no LEAVE comes, and the record counts as one.
        if received.sender == links[index].slot { return }
        if let session = links[index].session, session.instance <= record.instance {
            // As in `handleReportedBoot`: the leaving record may be of another boot than the session, such as one with
            // a copy of the state folder. The session's boot may still live, so while its link is up it is only probed.
            switch links.judgeReport(of: record.bootNonce, about: index) {
            case .mustBeProbed: return startVerifying(index, now: now)
            case .isInDoubt: return
            case .ofPeer: break
            }
        }
        // A candidate session whose instance is not above that of the leaving boot ends too: its first echo may be
        // under way, and would bring the link up.
        let isAgreementOver = links[index].candidate.map { $0.instance <= record.instance } ?? false
        if isAgreementOver { closeCandidate(index) }
        if let session = links[index].session {
            if session.instance <= record.instance { endSession(index, .left, dialAt: .distantFuture, now: now) }
        } else if isAgreementOver {
            // The candidate's carrier is closed. If the attempt went on without it, this node as the leader would
            // refuse the carrier of the peer's next boot until the attempt's deadline.
            endSession(index, .left, dialAt: .distantFuture, now: now)
        } else {
            detector[index].markLeft(now: now)
        }
    }
}

/// The roster kept up to date: the own record, the nodes that are seen, the comparison of versions with a peer, and
/// whether the mesh is a complete clique.
extension MeshNode {
    mutating func changeOwnRecord(now: Instant, _ body: (inout NodeRecord) -> Void) {
        membership.changeOwnRecord(sealing: sealing, neighbours, &effects, now: now, body)
    }

    /// Notes that this node or a neighbour saw the peer at `at`. If the peer's record becomes recent enough by that to
    /// count, or counts no more, the digest of all records is computed again.
    mutating func markSeen(_ peer: NodeID, at: Instant, now: Instant) {
        if membership.markSeen(peer, at: at, now: now) { refreshDigest(now: now) }
    }

    mutating func refreshDigest(now: Instant) { membership.refreshDigest(neighbours, now: now) }

    /// Checks again whether the mesh is a complete clique, if anything on which that depends has changed since the last
    /// check. Outputs an event if the result differs.
    mutating func settleClique(now: Instant) {
        // Checked here, because this runs after every input: the neighbours are collected only where they are needed.
        guard membership.clique.isStale else { return }
        membership.settleClique(neighbours, expectedCount: expectedCount(now: now), &effects)
    }

    // MARK: Anti-entropy

    /// Schedules a comparison of versions with a peer whose digest differs.
    mutating func scheduleVersions(_ index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership.scheduleVersions(with: index, now: now)
    }

    /// Whether this node reads and answers a list of versions on this carrier; counts a list that it rejects.
    mutating func admitsVersions(on carrier: CarrierEntry, now: Instant) -> Bool {
        let index = carrier.slot.index
        guard links[index].role(of: carrier.id) != nil else {
            effects.count(.framesUnexpected)
            return false
        }
        return membership.admitsVersions(of: index, &effects, now: now)
    }

    /// Sends the records that the peer lacks or has in an older version. The caller has checked `admitsVersions`.
    mutating func receiveVersions(_ versions: [NodeVersion], on carrier: CarrierEntry, of index: Int, now: Instant) {
        membership.answerVersions(
            versions, of: index, instance: links[index].session?.instance, on: carrier.id, neighbours, &effects,
            now: now)
    }
}
