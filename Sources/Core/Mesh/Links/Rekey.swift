import Primitives
import Trust
import Wire

/// New keys for the session of a link that is up. The leader offers them with the first heartbeat after the present
/// keys are 110 s old, or after many sealed datagrams. While voice carries the control blocks, no heartbeat leaves, so
/// the leader then offers them at 120 s. Each side installs the new keys before it acknowledges them. It seals with
/// them only after the other side has shown that it has them. So no datagram arrives before its key.
///
///     leader                                              follower
///        MEDIA_KEY (generation, half of the keys) ─────►  installs: opens with the new keys
///        installs, seals  ◄─────────────────────────────  MEDIA_KEY_ANSWER (generation, other half)
///        MEDIA_KEY_CONFIRM (generation) ───────────────►  seals with the new keys
///
/// Each generation of keys is offered once. If no answer comes, the leader offers the next generation, and then closes
/// the carrier, so that the two agree on keys over another one. Suppose that a second offer had the same generation,
/// and that a late answer to the first offer came: the late answer would complete the second offer with keys that only
/// one side has.
extension Links {
    // MARK: Leader

    mutating func rekey(_ index: Int, _ effects: inout Effects, now: Instant) {
        guard let session = self[index].session, let carrier = session.carrier,
            let generation = session.keys.generation, let newest = session.keys.newestGeneration,
            let since = session.keys.since
        else { return }
        guard let keyID = makeKeyID(for: index, &effects) else {
            session.rekeyPausedUntil = now + MeshLimits.rekeyAnswerMax
            effects.invalidateDeadlines()
            return
        }
        var offers = 1
        if case .renewing(let rekey) = session.keys, case .leads(let former, _) = rekey.part { offers += former }
        releaseOffer(of: session)
        let next = newest + 1
        let offer = session.media.makeOffer(generation: next, keyID: keyID)
        session.keyIDs.append(keyID)
        session.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: next, keyID: keyID,
                part: .leads(offers: offers, until: now + MeshLimits.rekeyAnswerMax)))
        effects.send(.mediaKey(offer), on: carrier)
    }

    /// Returns the carrier of the session if the peer has answered none of `MeshLimits.rekeyOffersMax` offers in a row;
    /// nil otherwise. Probably nothing passes such a carrier any more: a neighbour that forwards it may have stalled.
    func carrierWithoutAnswer(_ index: Int, now: Instant) -> CarrierEntry? {
        guard let session = self[index].session, case .renewing(let rekey) = session.keys,
            case .leads(let offers, let until) = rekey.part, until <= now, MeshLimits.rekeyOffersMax <= offers
        else { return nil }
        return session.carrier.flatMap { carriers[$0] }
    }

    /// Offers new keys if the present ones are near their end: 110 s old, or `datagramsPerKey` datagrams sealed.
    mutating func rekeyWornOut(_ index: Int, datagramsPerKey: UInt64, _ effects: inout Effects, now: Instant) {
        guard self[index].isLeader, let session = self[index].session, case .active = session.keys,
            session.media.needsRekey(afterDatagrams: datagramsPerKey, now: now)
        else { return }
        rekey(index, &effects, now: now)
    }

    mutating func receiveKeyAnswer(
        _ answer: MediaKeyOffer, on carrier: CarrierEntry, _ effects: inout Effects, now: Instant
    ) {
        let index = carrier.slot.index
        guard self[index].isLeader, let session = self[index].session, session.carrier == carrier.id,
            case .renewing(let rekey) = session.keys, rekey.nextGeneration == answer.generation,
            session.media.install(peer: answer, now: now)
        else {
            effects.count(.keyOffersStale)
            return
        }
        completeRekey(rekey, session, &effects, now: now)
        effects.send(.mediaKeyConfirm(generation: answer.generation), on: carrier.id)
    }

    // MARK: Follower

    mutating func receiveKeyOffer(
        _ offer: MediaKeyOffer, on carrier: CarrierEntry, _ effects: inout Effects, now: Instant
    ) {
        let index = carrier.slot.index
        guard !self[index].isLeader, let session = self[index].session, session.carrier == carrier.id,
            let generation = session.keys.generation, let since = session.keys.since, generation < offer.generation
        else {
            effects.count(.keyOffersStale)
            return
        }
        guard admitAgreement(of: index, &effects, now: now), let keyID = makeKeyID(for: index, &effects) else { return }
        let own = session.media.makeOffer(generation: offer.generation, keyID: keyID)
        guard session.media.install(peer: offer, now: now) else {
            effects.count(.keyOffersStale)
            release(keyID)
            return
        }
        releaseOffer(of: session)
        session.keyIDs.append(keyID)
        session.keys = .renewing(
            SessionRekey(
                generation: generation, since: since, nextGeneration: offer.generation, keyID: keyID,
                part: .follows))
        effects.send(.mediaKeyAnswer(own), on: carrier.id)
    }

    /// Switches the follower to the next generation, after the leader's confirmation or the first datagram under the
    /// new keys, whichever comes first.
    mutating func activateGeneration(_ generation: UInt32, of index: Int, _ effects: inout Effects, now: Instant) {
        guard !self[index].isLeader, let session = self[index].session, case .renewing(let rekey) = session.keys,
            rekey.nextGeneration == generation
        else { return }
        completeRekey(rekey, session, &effects, now: now)
    }

    // MARK: Both

    private mutating func completeRekey(
        _ rekey: SessionRekey, _ session: Session, _ effects: inout Effects, now: Instant
    ) {
        effects.count(.rekeys)
        session.activateKeys(generation: rekey.nextGeneration, now: now)
        forgetOldKeyIDs(of: session, now: now)
        effects.invalidateDeadlines()
    }

    /// Frees the key ids of generations that no longer open datagrams. A replaced generation still opens for a while.
    private mutating func forgetOldKeyIDs(of session: Session, now: Instant) {
        session.media.expire(now: now)
        let opening = session.media.openingKeyIDs
        for keyID in session.keyIDs where !opening.contains(keyID) { release(keyID) }
        session.keyIDs = opening
    }

    /// Frees the key id of an offer that has not been completed.
    private mutating func releaseOffer(of session: Session) {
        guard case .renewing(let rekey) = session.keys else { return }
        release(rekey.keyID)
        session.keyIDs.removeAll { $0 == rekey.keyID }
    }
}
