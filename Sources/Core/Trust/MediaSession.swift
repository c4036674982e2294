package import Primitives
package import Wire

/// Why a datagram was not opened; counted, never answered.
package enum OpenError: Int, Error, CaseIterable, Sendable {
    case malformed
    case unknownKey
    case replayed
    case forged
    case expiredKey
}

/// The media keys of one pair: sealing, opening, replay, generations (docs/WIRE.md, "Media keys").
///
/// Life of a generation: `makeOffer` (own half) → `install(peer:)` (both halves: opens at once) →
/// `startSending` (seals) → retired when a later one is confirmed, still opening for
/// `MediaKeyLimits.retiredLifetime`. Nothing here is known to anyone but the two.
package struct MediaSession {
    private let context: SessionContext
    private let sealing: any Sealing
    /// The own half of a generation whose other half has not come.
    private var pending: (offer: MediaKeyOffer, keys: EphemeralKeys)?
    /// Oldest first, at most `MediaKeyLimits.generationsMax`.
    private var generations: [MediaGeneration] = []

    package init(context: SessionContext, sealing: any Sealing) {
        self.context = context
        self.sealing = sealing
    }

    /// Starts a generation: keeps the private half, returns what the peer must have. An offer that
    /// was made before and not completed is forgotten.
    /// - Precondition: no generation of this session has `keyID`.
    package mutating func makeOffer(generation: UInt32, keyID: UInt32) -> MediaKeyOffer {
        precondition(!openingKeyIDs.contains(keyID), "key id \(keyID) is in use")
        let keys = sealing.makeEphemeralKeys()
        let offer = MediaKeyOffer(
            generation: generation, keyID: keyID, ephemeralPublicKey: keys.publicKey,
            secret: sealing.randomBytes(count: WireSizes.secretBytes))
        pending = (offer, keys)
        return offer
    }

    /// Completes the generation with the peer's half; from here on its datagrams open. One before it that nobody
    /// has sealed with is forgotten.
    /// False where the offer is degenerate or of another generation than the own offer, or where
    /// that generation, or a later one, has been sealed with already.
    package mutating func install(peer offer: MediaKeyOffer, now: Instant) -> Bool {
        guard let (own, keys) = pending, own.generation == offer.generation, isNext(offer.generation),
            let sealingBase = baseKey(own: own, keys: keys, peer: offer, direction: context.sealingDirection),
            let openingBase = baseKey(own: own, keys: keys, peer: offer, direction: context.openingDirection)
        else { return false }
        pending = nil
        generations.removeAll { $0.isWaiting }
        makeRoom()
        generations.append(
            MediaGeneration(
                number: own.generation, ownKeyID: own.keyID, peerKeyID: offer.keyID,
                sealingKey: sealing.makeAEAD(baseKey: sealingBase, keyID: offer.keyID),
                openingKey: sealing.makeAEAD(baseKey: openingBase, keyID: own.keyID), installedAt: now))
        return true
    }

    /// Seals with this generation from now on; the ones before open for a while longer.
    /// No effect where the generation seals already.
    /// - Returns: false where the generation is not there, or no longer: the peer took too long.
    @discardableResult
    package mutating func startSending(generation: UInt32, now: Instant) -> Bool {
        guard let index = generations.firstIndex(where: { $0.number == generation }) else { return false }
        switch generations[index].life {
        case .sealing: return true
        case .retired: return false
        case .waiting: break
        }
        for earlier in generations.indices[..<index] {
            if case .retired = generations[earlier].life { continue }
            generations[earlier].life = .retired(until: now + MediaKeyLimits.retiredLifetime)
        }
        generations[index].life = .sealing
        return true
    }

    /// Key ids under which this session opens datagrams, oldest first (for the shell's lookup table).
    package var openingKeyIDs: [UInt32] { generations.map(\.ownKeyID) }

    /// Whether the sending generation is near its end.
    /// - Parameter countMax: datagrams that one generation should seal.
    package func needsRekey(
        afterDatagrams countMax: UInt64 = MediaKeyLimits.packetsMax - MediaKeyLimits.rekeyPacketsLeft, now: Instant
    ) -> Bool {
        sealingIndex.map { generations[$0].needsRekey(afterDatagrams: countMax, now: now) } ?? false
    }

    /// Drops generations whose time is over: retired ones after a while, every one at the age of
    /// `MediaKeyLimits.generationLifetime`.
    package mutating func expire(now: Instant) { generations.removeAll { $0.isOver(now: now) } }

    /// What sealing adds to any body, at most.
    package static let overheadBytesMax = SealedDatagram.overheadBytesMax

    /// What sealing adds to the next body; nil before `startSending`. Grows with the counter, and is another for the
    /// peer, which counts on its own.
    package var overheadBytes: Int? { sealingIndex.map { generations[$0].overheadBytes } }

    /// A whole datagram; nil before `startSending`, and where the generation's counters are used up.
    /// - Precondition: `body` leaves room for header and tag within `WireLimits.datagramBytesMax`.
    package mutating func seal(_ body: [UInt8]) -> [UInt8]? {
        precondition(body.count <= SealedDatagram.bodyBytesMax, "a datagram body of \(body.count) bytes")
        guard let index = sealingIndex else { return nil }
        return generations[index].seal(body)
    }

    /// The body, and the generation that opened it.
    /// - Throws: `unknownKey`, `expiredKey`, `replayed` or `forged`; nothing has changed then.
    package mutating func open(
        _ datagram: SealedDatagram, now: Instant
    ) throws(OpenError) -> (body: [UInt8], generation: UInt32) {
        guard let index = generations.firstIndex(where: { $0.ownKeyID == datagram.header.keyID })
        else { throw .unknownKey }
        return (try generations[index].open(datagram, now: now), generations[index].number)
    }

    private var sealingIndex: Int? { generations.lastIndex { $0.isSealing } }

    /// Generations only go up; one that nobody has sealed with may be agreed anew.
    private func isNext(_ number: UInt32) -> Bool {
        generations.allSatisfy { $0.isWaiting ? $0.number <= number : $0.number < number }
    }

    /// The oldest goes that does not seal.
    private mutating func makeRoom() {
        guard generations.count == MediaKeyLimits.generationsMax,
            let oldest = generations.firstIndex(where: { !$0.isSealing })
        else { return }
        generations.remove(at: oldest)
    }

    /// Nil where the peer's half has a wrong size or agrees on nothing (RFC 7748 §6.1).
    private func baseKey(
        own: MediaKeyOffer, keys: EphemeralKeys, peer: MediaKeyOffer, direction: MediaDirection
    ) -> [UInt8]? {
        guard peer.ephemeralPublicKey.count == WireSizes.publicKeyBytes,
            peer.secret.count == WireSizes.secretBytes
        else { return nil }
        let salt = context.isLeader ? own.secret + peer.secret : peer.secret + own.secret
        return sealing.deriveKey(
            own: keys, peerPublicKey: peer.ephemeralPublicKey, salt: salt,
            info: context.derivationInfo(generation: own.generation, direction: direction))
    }
}
