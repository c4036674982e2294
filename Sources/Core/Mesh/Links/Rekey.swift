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
        guard let carrier = links[index].session?.carrier, let keys = links[index].session?.keys,
            let generation = keys.generation, let newest = keys.newestGeneration, let since = keys.since
        else { return }
        guard let keyID = makeKeyID(for: index) else {
            links[index].session?.rekeyPausedUntil = now + MeshLimits.rekeyAnswerMax
            effects.invalidateDeadlines()
            return
        }
        if case .renewing(let former) = keys { releaseOffer(former.keyID, of: index) }
        let next = newest + 1
        guard let offer = links[index].session?.media.makeOffer(generation: next, keyID: keyID) else { return }
        links[index].session?.keyIDs.append(keyID)
        links[index].session?.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: next, keyID: keyID,
                deadline: now + MeshLimits.rekeyAnswerMax))
        effects.send(.mediaKey(offer), on: carrier)
    }

    /// Offers new keys if the present ones are near their end: 110 s old, or `datagramsPerKey` datagrams sealed.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        guard links[index].isLeader, let session = links[index].session, case .serving = session.keys,
            session.media.needsRekey(afterDatagrams: configuration.capacity.datagramsPerKey, now: now)
        else { return }
        rekey(index, now: now)
    }

    mutating func receiveKeyOffer(_ offer: MediaKeyOffer, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard !links[index].isLeader, links[index].session?.carrier == line.id,
            let keys = links[index].session?.keys, let generation = keys.generation, let since = keys.since,
            generation < offer.generation
        else {
            effects.count(.keyOffersStale)
            return
        }
        guard links[index].agreements.take(now: now) else {
            return effects.count(.agreementsOverRate)
        }
        guard let keyID = makeKeyID(for: index) else { return }
        guard let own = links[index].session?.media.makeOffer(generation: offer.generation, keyID: keyID),
            links[index].session?.media.install(peer: offer, now: now) == true
        else {
            effects.count(.keyOffersStale)
            links.keyIDs.release(keyID)
            return
        }
        if case .renewing(let former) = keys { releaseOffer(former.keyID, of: index) }
        links[index].session?.keyIDs.append(keyID)
        links[index].session?.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: offer.generation, keyID: keyID,
                deadline: .distantFuture))
        effects.send(.mediaKeyAnswer(own), on: line.id)
    }

    mutating func receiveKeyAnswer(_ answer: MediaKeyOffer, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        guard links[index].isLeader, links[index].session?.carrier == line.id,
            case .renewing(let rekey)? = links[index].session?.keys, rekey.nextGeneration == answer.generation,
            links[index].session?.media.install(peer: answer, now: now) == true
        else {
            effects.count(.keyOffersStale)
            return
        }
        startServing(rekey, of: index, now: now)
        effects.send(.mediaKeyConfirm(generation: answer.generation), on: line.id)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        if links[index].candidate?.carrier == line.id, generation == MeshLimits.firstGeneration {
            serveCandidate(index, now: now)
        } else if links[index].session?.carrier == line.id {
            serveGeneration(generation, of: index, now: now)
        }
    }

    /// Switches the follower to the next generation, after the leader's confirmation or the first datagram under the
    /// new keys, whichever comes first.
    mutating func serveGeneration(_ generation: UInt32, of index: Int, now: Instant) {
        guard !links[index].isLeader, case .renewing(let rekey)? = links[index].session?.keys,
            rekey.nextGeneration == generation
        else { return }
        startServing(rekey, of: index, now: now)
    }

    private mutating func startServing(_ rekey: SessionRekey, of index: Int, now: Instant) {
        effects.count(.rekeys)
        links[index].session?.media.startSending(generation: rekey.nextGeneration, now: now)
        links[index].session?.keys = .serving(generation: rekey.nextGeneration, since: now)
        forgetOldKeyIDs(of: index, now: now)
        effects.invalidateDeadlines()
    }

    /// Starts sealing with the follower's first generation: the leader has shown that it has the keys.
    mutating func serveCandidate(_ index: Int, now: Instant) {
        guard links[index].candidate?.keys == .installed else { return }
        links[index].candidate?.media.startSending(generation: MeshLimits.firstGeneration, now: now)
        links[index].candidate?.keys = .serving(generation: MeshLimits.firstGeneration, since: now)
        probeCandidate(index, now: now)
        waitForEcho(index, now: now)
    }

    /// Frees the key ids of generations that no longer open datagrams. A replaced generation still opens for a while.
    private mutating func forgetOldKeyIDs(of index: Int, now: Instant) {
        links[index].session?.media.expire(now: now)
        guard let session = links[index].session else { return }
        let opening = session.media.openingKeyIDs
        for keyID in session.keyIDs where !opening.contains(keyID) { links.keyIDs.release(keyID) }
        links[index].session?.keyIDs = opening
    }

    private mutating func releaseOffer(_ keyID: UInt32, of index: Int) {
        links.keyIDs.release(keyID)
        links[index].session?.keyIDs.removeAll { $0 == keyID }
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
