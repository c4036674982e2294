package import Primitives
package import Wire

/// The reason why a datagram was not opened. The datagram is counted and never answered.
package enum OpenError: Int, Error, CaseIterable, Sendable {
    /// Not a sealed datagram of this protocol.
    case malformed
    /// No generation has this key id.
    case unknownKey
    /// The counter was opened before, or is below the replay window.
    case replayed
    /// The tag is wrong.
    case forged
    /// The generation is over, or the counter is larger than a generation may use.
    case expiredKey
}

/// The media keys of one pair of nodes (docs/WIRE.md, "Media keys"): seals and opens datagrams, with several
/// generations of keys.
///
/// Life of a generation: `makeOffer` makes this node's half. `install(peer:)` adds the peer's half: from then on the
/// generation opens datagrams. `startSending` makes it seal, and retires the generation before it, which still opens
/// for `MediaKeyLimits.retiredLifetime`.
package struct MediaSession {
    private let context: SessionContext
    private let sealing: any Sealing
    /// This node's half of a generation for which the peer's half has not come.
    private var pending: (offer: MediaKeyOffer, keys: EphemeralKeys)?
    /// Oldest first, at most `MediaKeyLimits.generationsMax`.
    private var generations: [MediaGeneration] = []

    package init(context: SessionContext, sealing: any Sealing) {
        self.context = context
        self.sealing = sealing
    }

    /// Starts a generation: keeps the private key, and returns the offer for the peer. An earlier offer that was not
    /// completed is forgotten.
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

    /// Completes the generation with the peer's half; from now on it opens datagrams. An earlier generation that still
    /// waits is forgotten.
    /// - Returns: false, and changes nothing, if the offer has another number than the own offer. False also if the
    ///   peer's public key or secret is invalid, or if a generation of that number or a later one has already sealed;
    ///   then the own offer is forgotten.
    package mutating func install(peer offer: MediaKeyOffer, now: Instant) -> Bool {
        guard let (own, keys) = pending, own.generation == offer.generation else { return false }
        // An own half meets one half of the peer. Its private key does not outlive a failure.
        pending = nil
        guard isNext(offer.generation),
            let sealingBase = baseKey(own: own, keys: keys, peer: offer, direction: context.sealingDirection),
            let openingBase = baseKey(own: own, keys: keys, peer: offer, direction: context.openingDirection)
        else { return false }
        generations.removeAll { $0.isWaiting }
        makeRoom()
        generations.append(
            MediaGeneration(
                number: own.generation, ownKeyID: own.keyID, peerKeyID: offer.keyID,
                sealingKey: sealing.makeAEAD(baseKey: sealingBase, keyID: offer.keyID),
                openingKey: sealing.makeAEAD(baseKey: openingBase, keyID: own.keyID), installedAt: now))
        return true
    }

    /// Seals with this generation from now on. Earlier generations are retired. No effect if the generation seals
    /// already.
    /// - Returns: false if the generation does not exist or is retired, because the peer took too long.
    @discardableResult
    package mutating func startSending(generation: UInt32, now: Instant) -> Bool {
        guard let index = generations.firstIndex(where: { $0.number == generation }) else { return false }
        switch generations[index].life {
        case .sending: return true
        case .retired: return false
        case .waiting: break
        }
        for earlier in generations.indices[..<index] {
            if case .retired = generations[earlier].life { continue }
            generations[earlier].life = .retired(until: now + MediaKeyLimits.retiredLifetime)
        }
        generations[index].life = .sending
        return true
    }

    /// Key ids of the datagrams that this session can open, oldest first.
    package var openingKeyIDs: [UInt32] { generations.map(\.ownKeyID) }

    /// Returns whether the generation that seals must soon be replaced, because of its age or its count of datagrams.
    /// - Parameter countMax: number of sealed datagrams from which the result is true.
    // Mutating, because it runs after every heartbeat: the keys are read in place and not copied.
    package mutating func needsRekey(
        afterDatagrams countMax: UInt64 = MediaKeyLimits.packetsMax - MediaKeyLimits.rekeyPacketsLeft, now: Instant
    ) -> Bool {
        sendingIndex.map { generations[$0].needsRekey(afterDatagrams: countMax, now: now) } ?? false
    }

    /// Deletes retired generations whose time is over, and any generation at the age of
    /// `MediaKeyLimits.generationLifetime`.
    package mutating func expire(now: Instant) { generations.removeAll { $0.isOver(now: now) } }

    /// Most bytes that sealing adds to a body.
    package static let overheadBytesMax = SealedDatagram.overheadBytesMax

    /// Bytes that sealing adds to the next body; nil before `startSending`. The number grows with this node's counter,
    /// so it differs from the peer's.
    package var overheadBytes: Int? { sendingIndex.map { generations[$0].overheadBytes } }

    /// Returns the sealed datagram; nil before `startSending`, or if the counters of the generation are used up.
    /// - Precondition: `body` leaves room for header and tag within `WireLimits.datagramBytesMax`.
    package mutating func seal(_ body: [UInt8]) -> [UInt8]? {
        precondition(body.count <= SealedDatagram.bodyBytesMax, "a datagram body of \(body.count) bytes")
        guard let index = sendingIndex else { return nil }
        return generations[index].seal(body)
    }

    /// Returns the body of a datagram, and the number of the generation that opened it.
    /// - Throws: `unknownKey`, `expiredKey`, `replayed` or `forged`, as `OpenError` explains them; then nothing has
    ///   changed.
    package mutating func open(
        _ datagram: SealedDatagram, now: Instant
    ) throws(OpenError) -> (body: [UInt8], generation: UInt32) {
        guard let index = generations.firstIndex(where: { $0.ownKeyID == datagram.header.keyID })
        else { throw .unknownKey }
        return (try generations[index].open(datagram, now: now), generations[index].number)
    }

    private var sendingIndex: Int? { generations.lastIndex { $0.isSending } }

    /// Returns whether a generation may have this number. Numbers only rise; the number of a generation that still
    /// waits may be used again.
    private func isNext(_ number: UInt32) -> Bool {
        generations.allSatisfy { $0.isWaiting ? $0.number <= number : $0.number < number }
    }

    /// If the session has its most generations, removes the oldest one that does not seal.
    private mutating func makeRoom() {
        guard generations.count == MediaKeyLimits.generationsMax,
            let oldest = generations.firstIndex(where: { !$0.isSending })
        else { return }
        generations.remove(at: oldest)
    }

    /// Returns the base key of a direction; nil if the peer's half has a wrong size, or its public key is a point of
    /// small order (RFC 7748 §6.1).
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

/// The two nodes and the session that media keys belong to. It enters every key derivation, so that no two sessions
/// have the same key.
package struct SessionContext: Hashable, Sendable {
    package var leader: NodeID
    package var follower: NodeID
    package var link: LinkID
    package var leaderBoot: BootNonce
    package var followerBoot: BootNonce
    /// The nonces of both PROOFs of the carrier on which the session was agreed, that of the dialler first: 64 bytes.
    package var nonces: [UInt8]
    /// Whether this node is the leader.
    package var isLeader: Bool

    package init(
        leader: NodeID, follower: NodeID, link: LinkID, leaderBoot: BootNonce, followerBoot: BootNonce, nonces: [UInt8],
        isLeader: Bool
    ) {
        self.leader = leader
        self.follower = follower
        self.link = link
        self.leaderBoot = leaderBoot
        self.followerBoot = followerBoot
        self.nonces = nonces
        self.isLeader = isLeader
    }
}

/// The direction of a media key: the node that seals with it. The raw value enters the key derivation.
enum MediaDirection: UInt8 {
    case fromLeader = 0
    case fromFollower = 1
}

extension SessionContext {
    private static let label = Array("partyline/2 media".utf8)

    var sealingDirection: MediaDirection { isLeader ? .fromLeader : .fromFollower }
    var openingDirection: MediaDirection { isLeader ? .fromFollower : .fromLeader }

    /// Returns the `info` of HKDF for one generation and direction (docs/WIRE.md, "Media keys").
    func derivationInfo(generation: UInt32, direction: MediaDirection) -> [UInt8] {
        var writer = ByteWriter(capacity: 192)
        writer.raw(SessionContext.label)
        writer.raw(leader.bytes)
        writer.raw(follower.bytes)
        writer.number(link.leaderInstance.number, byteCount: WireSizes.instanceBytes)
        writer.number(link.followerInstance.number, byteCount: WireSizes.instanceBytes)
        writer.u32(link.attempt)
        writer.u64(leaderBoot.number)
        writer.u64(followerBoot.number)
        writer.u32(generation)
        writer.u8(direction.rawValue)
        writer.raw(nonces)
        return writer.bytes
    }
}
