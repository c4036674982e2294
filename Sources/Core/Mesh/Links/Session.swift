package import Primitives
import Trust
import Wire

/// What two nodes have agreed: link id, media keys, and the carrier in use. The paths of the session are kept in
/// `PathSet`.
///
/// The loss of its paths alone does not end a session. A session ends if one of the two nodes leaves the mesh, blocks
/// the other or refuses the link, if the peer starts again or is declared dead, if a proof of the newest epoch is
/// missing, if its keys expire, or if a newer session replaces it.
///
/// A class, because it is large and read after every packet. Exactly one `PeerLink` holds it, as `session`,
/// `candidate` or `retired`. It is internal, so that the optimizer sees every access and removes exclusivity checks
/// that would otherwise run at each access.
final class Session {
    let context: SessionContext
    /// Instance of the peer's boot: the highest to which it has advanced.
    private(set) var instance: Instance
    /// The link id. At first it is `context.link`, from which the keys are derived. It changes whenever either boot
    /// advances.
    private(set) var link: LinkID
    let bootNonce: BootNonce
    /// 64 bytes that only the two nodes of this session know. With them the two nodes key the hashes by which they
    /// compare their tables, such as the channel directory.
    var nonces: [UInt8] { context.nonces }
    var media: MediaSession
    /// The key ids of this session, including that of an offer that is not answered yet.
    var keyIDs: [UInt32]
    /// Nil after the carrier was lost.
    var carrier: CarrierID?
    var keys: SessionKeys
    /// Set when no key id was free: the leader offers no new keys before this instant.
    var rekeyPausedUntil = Instant.zero

    let startedAt: Instant
    /// The body of the datagram sealed last; kept here so that its memory is used again.
    private var encodedBody = ByteWriter()

    init(
        _ context: SessionContext, _ greeting: Greeting, _ media: MediaSession, keyID: UInt32,
        on carrier: CarrierEntry, now: Instant
    ) {
        self.context = context
        instance = greeting.instance
        link = context.link
        bootNonce = greeting.bootNonce
        self.media = media
        keyIDs = [keyID]
        self.carrier = carrier.id
        keys = .offered
        startedAt = now
    }

    /// Opens a sealed datagram of the peer.
    func open(
        _ datagram: SealedDatagram, now: Instant
    ) throws(OpenError) -> (body: [UInt8], generation: UInt32) { try media.open(datagram, now: now) }

    /// Forgets the keys of generations that no longer open datagrams.
    func expireKeys(now: Instant) { media.expire(now: now) }

    /// Bytes that sealing adds now; nil while the session has no key to seal with.
    var overheadBytes: Int? { media.overheadBytes }

    /// Returns the sealed datagram, or nil while the session has no key to seal with.
    func seal(_ body: DatagramBody) -> [UInt8]? {
        body.encode(into: &encodedBody)
        return media.seal(encodedBody.bytes)
    }

    /// Sets the instance to which this node's boot has advanced.
    func advance(own instance: Instance) { label(instance, isLeaders: context.isLeader) }

    /// Sets the instance to which the peer's boot has advanced.
    func advance(peer instance: Instance) {
        self.instance = instance
        label(instance, isLeaders: !context.isLeader)
    }

    private func label(_ instance: Instance, isLeaders: Bool) {
        link = LinkID(
            leaderInstance: isLeaders ? instance : link.leaderInstance,
            followerInstance: isLeaders ? link.followerInstance : instance, attempt: link.attempt)
    }

    /// Seals with the keys of this generation from now on.
    func activateKeys(generation: UInt32, now: Instant) {
        media.startSending(generation: generation, now: now)
        keys = .active(generation: generation, since: now)
    }

    /// Whether both sides have the keys, and no rekey is under way.
    var hasActiveKeys: Bool {
        if case .active = keys { true } else { false }
    }

    /// Instant at which the keys expire without a rekey.
    var keysExpireAt: Instant {
        (keys.since ?? startedAt) + MeshLimits.keysLifetimeMax
    }

    /// Instant of the leader's next offer at the latest. Nil on a follower, without a carrier, and before the keys
    /// are active.
    func rekeyAt(isLeader: Bool) -> Instant? {
        guard isLeader, carrier != nil else { return nil }
        switch keys {
        case .offered, .installed: return nil
        case .active(_, let since): return max(since + MeshLimits.rekeyInterval, rekeyPausedUntil)
        case .renewing(let rekey):
            guard case .leads(_, let until) = rekey.part else { return nil }
            return max(until, rekeyPausedUntil)
        }
    }
}

/// State of a session's media keys.
///
///     offered ─► installed ─► active ⇄ renewing
///
package enum SessionKeys: Hashable, Sendable {
    /// This node has sent its half; the peer's half has not come.
    case offered
    /// Follower: this node has the key halves of both nodes. The session opens datagrams. It seals as soon as a
    /// datagram or a confirmation on the carrier proves that the leader has the keys too.
    case installed
    case active(generation: UInt32, since: Instant)
    /// The next generation is offered; the present one is still active.
    case renewing(SessionRekey)

    package var generation: UInt32? {
        switch self {
        case .offered, .installed: nil
        case .active(let generation, _): generation
        case .renewing(let rekey): rekey.generation
        }
    }

    /// The highest generation that is active or is offered.
    package var newestGeneration: UInt32? {
        if case .renewing(let rekey) = self { rekey.nextGeneration } else { generation }
    }

    package var since: Instant? {
        switch self {
        case .offered, .installed: nil
        case .active(_, let since): since
        case .renewing(let rekey): rekey.since
        }
    }
}

package struct SessionRekey: Hashable, Sendable {
    /// The active generation, and the instant since which it is active.
    package var generation: UInt32
    package var since: Instant
    /// The generation that the leader offers, and the key id that the peer will name in its datagrams under that
    /// generation.
    package var nextGeneration: UInt32
    package var keyID: UInt32
    package var part: Part

    /// What this node does in it.
    package enum Part: Hashable, Sendable {
        /// This node leads. If no answer has come by `until`, it offers a further generation, or closes the carrier
        /// after `MeshLimits.rekeyOffersMax` offers. `offers` counts the offers in a row without an answer, this one
        /// included.
        case leads(offers: Int, until: Instant)
        case follows
    }
}
