import Primitives
import Trust
import Wire

/// New keys for a living session. The leader offers them when the present ones are 110 s old, or earlier after many
/// sealed datagrams. Each side installs the new keys before it acknowledges them, and seals with them only after the
/// other side has shown that it has them. So no datagram arrives before its key.
///
/// Each generation is offered once. If no answer comes, the leader offers the next generation. A late answer to the
/// first offer may still be under way: if a second offer had the same generation, that answer would complete it with
/// keys that only one side has.
extension MeshNode {
    mutating func rekey(_ index: Int, now: Instant) {
        guard let carrier = peers[index].session?.carrier, let keys = peers[index].session?.keys,
            let generation = keys.generation, let newest = keys.newestGeneration, let since = keys.since
        else { return }
        guard let keyID = makeKeyID(for: index) else {
            peers[index].session?.rekeyPausedUntil = now + MeshLimits.rekeyAnswerMax
            deadlines.needsRefresh = true
            return
        }
        if case .renewing(let former) = keys { releaseOffer(former.keyID, of: index) }
        let next = newest + 1
        guard let offer = peers[index].session?.media.makeOffer(generation: next, keyID: keyID) else { return }
        peers[index].session?.keyIDs.append(keyID)
        peers[index].session?.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: next, keyID: keyID,
                deadline: now + MeshLimits.rekeyAnswerMax))
        send(.mediaKey(offer), on: carrier)
    }

    /// Offers new keys if the present ones are near their end: 110 s old, or `datagramsPerKey` datagrams sealed.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        guard peers[index].isLeader, let session = peers[index].session, case .serving = session.keys,
            session.media.needsRekey(afterDatagrams: configuration.capacity.datagramsPerKey, now: now)
        else { return }
        rekey(index, now: now)
    }

    mutating func receiveKeyOffer(_ offer: MediaKeyOffer, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard !peers[index].isLeader, peers[index].session?.carrier == line.id,
            let keys = peers[index].session?.keys, let generation = keys.generation, let since = keys.since,
            generation < offer.generation
        else {
            counters.count(.keyOffersStale)
            return
        }
        guard peers[index].agreements.take(now: now) else {
            return counters.count(.agreementsOverRate)
        }
        guard let keyID = makeKeyID(for: index) else { return }
        guard let own = peers[index].session?.media.makeOffer(generation: offer.generation, keyID: keyID),
            peers[index].session?.media.install(peer: offer, now: now) == true
        else {
            counters.count(.keyOffersStale)
            keyIDs.release(keyID)
            return
        }
        if case .renewing(let former) = keys { releaseOffer(former.keyID, of: index) }
        peers[index].session?.keyIDs.append(keyID)
        peers[index].session?.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: offer.generation, keyID: keyID,
                deadline: .distantFuture))
        send(.mediaKeyAnswer(own), on: line.id)
    }

    mutating func receiveKeyAnswer(_ answer: MediaKeyOffer, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard peers[index].isLeader, peers[index].session?.carrier == line.id,
            case .renewing(let rekey)? = peers[index].session?.keys, rekey.nextGeneration == answer.generation,
            peers[index].session?.media.install(peer: answer, now: now) == true
        else {
            counters.count(.keyOffersStale)
            return
        }
        startServing(rekey, of: index, now: now)
        send(.mediaKeyConfirm(generation: answer.generation), on: line.id)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        if peers[index].candidate?.carrier == line.id, generation == MeshLimits.firstGeneration {
            serveCandidate(index, now: now)
        } else if peers[index].session?.carrier == line.id {
            serveGeneration(generation, of: index, now: now)
        }
    }

    /// Switches the follower to the next generation, after the leader's confirmation or the first datagram under the
    /// new keys, whichever comes first.
    mutating func serveGeneration(_ generation: UInt32, of index: Int, now: Instant) {
        guard !peers[index].isLeader, case .renewing(let rekey)? = peers[index].session?.keys,
            rekey.nextGeneration == generation
        else { return }
        startServing(rekey, of: index, now: now)
    }

    private mutating func startServing(_ rekey: SessionRekey, of index: Int, now: Instant) {
        counters.count(.rekeys)
        peers[index].session?.media.startSending(generation: rekey.nextGeneration, now: now)
        peers[index].session?.keys = .serving(generation: rekey.nextGeneration, since: now)
        forgetOldKeyIDs(of: index, now: now)
        deadlines.needsRefresh = true
    }

    /// Starts sealing with the follower's first generation: the leader has shown that it has the keys.
    mutating func serveCandidate(_ index: Int, now: Instant) {
        guard peers[index].candidate?.keys == .installed else { return }
        peers[index].candidate?.media.startSending(generation: MeshLimits.firstGeneration, now: now)
        peers[index].candidate?.keys = .serving(generation: MeshLimits.firstGeneration, since: now)
        probeCandidate(index, now: now)
        waitForEcho(index, now: now)
    }

    /// Frees the key ids of generations that no longer open datagrams. A replaced generation still opens for a while.
    private mutating func forgetOldKeyIDs(of index: Int, now: Instant) {
        peers[index].session?.media.expire(now: now)
        guard let session = peers[index].session else { return }
        let opening = session.media.openingKeyIDs
        for keyID in session.keyIDs where !opening.contains(keyID) { keyIDs.release(keyID) }
        peers[index].session?.keyIDs = opening
    }

    private mutating func releaseOffer(_ keyID: UInt32, of index: Int) {
        keyIDs.release(keyID)
        peers[index].session?.keyIDs.removeAll { $0 == keyID }
    }
}

extension Session {
    /// Instant at which the keys expire without a rekey.
    var keysExpireAt: Instant {
        (keys.since ?? startedAt) + MeshLimits.keysLifetimeMax
    }

    /// Instant of the leader's next offer at the latest. Nil on a follower, without a carrier, and before the keys
    /// serve.
    func rekeyAt(isLeader: Bool) -> Instant? {
        guard isLeader, carrier != nil else { return nil }
        switch keys {
        case .offered, .installed: return nil
        case .serving(_, let since): return max(since + MeshLimits.rekeyInterval, rekeyPausedUntil)
        case .renewing(let rekey): return max(rekey.deadline, rekeyPausedUntil)
        }
    }
}

extension MeshCounter {
    init(_ error: OpenError) {
        switch error {
        case .malformed: self = .datagramsMalformed
        case .unknownKey: self = .datagramsUnknownKey
        case .replayed: self = .datagramsReplayed
        case .forged: self = .datagramsForged
        case .expiredKey: self = .datagramsExpiredKey
        }
    }
}
