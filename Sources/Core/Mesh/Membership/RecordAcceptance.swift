import Primitives
import Trust
import Wire

/// A verified record that came to this node.
struct ReceivedRecord {
    let record: NodeRecord
    let signed: SignedRecord
    /// The peer that sent the record; nil for a record from a beacon.
    let sender: PeerSlot?
    /// Whether the subject itself sent the record, in its HELLO.
    let isFromSubject: Bool
    /// The source address of the beacon that brought the record; nil if it came on a carrier.
    let beaconSource: Endpoint?
}

/// What the roster made of a received record.
enum RecordArrival {
    /// The record is not stored, and others are told nothing: it is this node's own record, or one of an older or a
    /// duplicate boot of its subject, or it is not newer than the stored one, or the roster is full.
    case ignored
    /// The roster has a record of the subject for the first time.
    case first
    /// The record has replaced an older one.
    /// - isNewBoot: whether its instance is higher, or another boot of the same instance has signed it.
    /// - hasNewProfile: whether its profile differs.
    case newer(isNewBoot: Bool, hasNewProfile: Bool)
}

/// The result of the check of a signed record from a peer.
enum RecordCheck {
    case genuine(NodeRecord)
    /// This node does not store the record: it has the record already, the key or the signature is false, or the peer
    /// that sent the record has told this node of too many unknown nodes.
    case rejected
    /// The allowance for checks is spent: this node checks no further record of this frame.
    case isOverRate
}

/// Receiving records. A record is checked within the allowances, and then stored if it is newer than the known one:
///
///     signed record ── known? allowances? signature? ──► record ── ghost? duplicate? newer? ──► roster ──► news
///
extension Membership {
    // MARK: Checks

    /// Checks a record that the peer at `index` has passed on.
    mutating func check(
        _ signed: SignedRecord, from index: Int, with sealing: any Sealing, _ effects: inout Effects, now: Instant
    ) -> RecordCheck {
        guard let subject = sealing.nodeID(ofPublicKey: signed.publicKey), roster[subject]?.signed != signed,
            signed != own.signed
        else { return .rejected }
        guard mayBeAdmitted(subject, from: index, now: now) else {
            effects.count(.recordsNewOverLimit)
            return .rejected
        }
        guard admitsRecordCheck(of: index, now: now) else {
            effects.count(.recordsOverRate)
            return .isOverRate
        }
        guard let record = try? signed.verified(with: sealing) else {
            effects.count(.recordsForged)
            return .rejected
        }
        guard admitsIdentity(of: subject, from: index, &effects, now: now) else { return .rejected }
        return .genuine(record)
    }

    /// Whether this node may check a signature for the peer at `index`. The allowance of the peer needs a token, and so
    /// does either the allowance of all peers or the one that is reserved for this peer. So a few peers cannot keep the
    /// records of others out.
    mutating func admitsRecordCheck(of index: Int, now: Instant) -> Bool {
        guard self[index].recordChecks.ofPeer.take(now: now) else { return false }
        return recordChecks.take(now: now) || self[index].recordChecks.reserved.take(now: now)
    }

    /// Whether this node may store a record of `subject` from the peer at `index`: the subject is known, or the peer
    /// may still introduce an unknown node. A record that may not be stored is counted.
    mutating func admitsIdentity(of subject: NodeID, from index: Int, _ effects: inout Effects, now: Instant) -> Bool {
        if roster.index(of: subject) != nil || self[index].newIdentities.take(now: now) { return true }
        effects.count(.recordsNewOverLimit)
        return false
    }

    /// Whether `admitsIdentity` would admit the subject now. It takes no token, so that a record or a connect request
    /// is refused before its signature is checked, which takes much longer.
    mutating func mayBeAdmitted(_ subject: NodeID, from index: Int, now: Instant) -> Bool {
        roster.index(of: subject) != nil || self[index].newIdentities.nextToken(now: now) <= now
    }

    /// Whether `instance` is below the highest that was seen of `peer`. A message with such an instance (a ghost) is
    /// rejected and counted.
    ///
    /// Only a node's own signature or authenticated HELLO raises the highest instance seen of that node, so that no
    /// node can lock out another.
    func isGhost(_ instance: Instance, of peer: NodeID) -> Bool {
        guard let seen = roster[peer]?.instanceSeen else { return false }
        return instance < seen
    }

    // MARK: Storing

    /// Stores a verified record: raises the highest instance seen, and replaces an older version.
    mutating func accept(
        _ received: ReceivedRecord, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) -> RecordArrival {
        let record = received.record
        if record.node == node {
            compareOwnRecord(record, from: received.sender.map { self[$0.index].node } ?? node, &effects, now: now)
            return .ignored
        }
        guard let index = roster.index(of: record.node) else {
            return insert(received, neighbours, &effects, now: now)
        }
        if record.instance < roster[index: index].instanceSeen {
            effects.count(.ghostRecords)
            return .ignored
        }
        // A HELLO alone does not make its sender count as seen: a node of the mesh must have been linked with the
        // sender before.
        let isMember = received.isFromSubject && !roster[index: index].isIndirect
        if isMember, !record.isLeaving { markSeen(record.node, at: now, neighbours, now: now) }
        let known = roster[index: index].record
        let isOtherBoot = record.instance == known.instance && record.bootNonce != known.bootNonce
        // Another boot of the same instance is accepted only from its own HELLO.
        if isOtherBoot, !received.isFromSubject {
            effects.count(.duplicateIdentities)
            return .ignored
        }
        guard known.version < record.version || isOtherBoot else { return .ignored }
        roster[index: index].replace(record, received.signed)
        roster[index: index].learnedFrom = received.sender
        // If this node does not tell its neighbours of the subject yet, a record from a peer makes it do so, within the
        // allowance of that peer for unknown nodes.
        if !roster[index: index].isTold, let sender = received.sender {
            if tellsOf(record.node, sender.index, now: now) { refreshDigest(neighbours, now: now) }
        }
        if !record.isLeaving {
            isMember ? roster[index: index].markSeen(at: now) : roster[index: index].markIndirect(now: now)
        }
        // A record of another boot with the same instance is not passed on: other nodes take it only from the HELLO of
        // that boot itself.
        isOtherBoot ? refreshDigest(neighbours, now: now) : scheduleNews(of: received, neighbours, now: now)
        return .newer(
            isNewBoot: known.instance < record.instance || isOtherBoot,
            hasNewProfile: known.profile != record.profile)
    }

    /// Stores the record of a node that is not in the roster.
    private mutating func insert(
        _ received: ReceivedRecord, _ neighbours: [Neighbour], _ effects: inout Effects, now: Instant
    ) -> RecordArrival {
        let subject = received.record.node
        var entry = RosterEntry(
            record: received.record, signed: received.signed, learnedFrom: received.sender, now: now)
        entry.isTold = !isAnyUntold(neighbours) && newsAllowances.newNodes.take(now: now)
        // A subject that has a carrier to this node (`isFromSubject`) always gets room: if the roster is full, another
        // entry is removed.
        let linked = received.isFromSubject ? neighbours.map(\.node) : nil
        guard roster.insert(entry, before: linked, now: now) else {
            effects.count(.recordsTableFull)
            return .ignored
        }
        // The link states of a neighbour may have named the subject of this record before the record came. The subject
        // then counts as seen now.
        let isAdvertised = neighbours.contains { self[$0.slot.index].linksOfSession[subject] != nil }
        if isAdvertised { markSeen(subject, at: now, neighbours, now: now) }
        scheduleNews(of: received, neighbours, now: now)
        return .first
    }

    /// Whether a linked node waits until the neighbours are told of it (`tellOfNewNodes`). Such a node goes before new
    /// nodes that are not linked: else the new nodes would take each token for which the linked one waits.
    private func isAnyUntold(_ neighbours: [Neighbour]) -> Bool {
        neighbours.contains { roster[$0.node]?.isTold == false }
    }

    /// Passes a changed record on soon. A record from a beacon is passed on within an allowance. So is the record of an
    /// unknown node, whatever has brought it (`insert`, `tellOfNewNodes`).
    private mutating func scheduleNews(of received: ReceivedRecord, _ neighbours: [Neighbour], now: Instant) {
        let isPassedOn = received.sender != nil || newsAllowances.beacons.take(now: now)
        if isPassedOn, let index = roster.index(of: received.record.node) {
            roster[index: index].isNews = roster[index: index].isTold
        }
        gossip.scheduleNews(at: now + MeshLimits.gossipDelay)
        refreshDigest(neighbours, now: now)
    }
}
