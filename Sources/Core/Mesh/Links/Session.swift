package import Primitives
import Trust
import Wire

/// What a pair has agreed: link id, media keys, and the carrier in use. Its paths are in `PathSet`.
///
/// The loss of paths does not end a session. LEAVE, a block, a refusal, another boot and the expiry of its keys do.
///
/// A class, because it is large and read after every packet. Exactly one `PeerLink` holds it, as `session`,
/// `candidate` or `retired`. It is internal, so that the optimizer sees every access and removes exclusivity checks
/// that would otherwise run at each access.
final class Session {
    let context: SessionContext
    /// Instance of the peer's boot: the highest to which it has advanced.
    private(set) var instance: Instance
    /// Begins as `context.link`, from which the keys are derived. Follows each advance of either boot.
    private(set) var link: LinkID
    let bootNonce: BootNonce
    var media: MediaSession
    /// Key ids of this session, including that of an offer under way.
    var keyIDs: [UInt32]
    /// Nil after the carrier was lost.
    var carrier: CarrierID?
    var keys: SessionKeys
    /// Set when no key id was free: the leader offers no new keys before this instant.
    var rekeyPausedUntil = Instant.zero

    let startedAt: Instant

    init(
        context: SessionContext, instance: Instance, bootNonce: BootNonce, media: MediaSession, keyID: UInt32,
        carrier: CarrierID, now: Instant
    ) {
        self.context = context
        self.instance = instance
        link = context.link
        self.bootNonce = bootNonce
        self.media = media
        keyIDs = [keyID]
        self.carrier = carrier
        keys = .offered
        startedAt = now
    }

    /// Returns the sealed datagram, or nil while the session has no key to seal with.
    func seal(_ body: DatagramBody) -> [UInt8]? { media.seal(body.encoded()) }

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

    /// Whether both sides have the keys, and no rekey is under way.
    var isServing: Bool {
        if case .serving = keys { true } else { false }
    }
}

/// State of a session's media keys.
///
///     offered ─► installed ─► serving ⇄ renewing
///
package enum SessionKeys: Hashable, Sendable {
    /// This node has sent its half; the peer's half has not come.
    case offered
    /// Follower: this node has the key halves of both nodes. The session opens datagrams. It seals as soon as a
    /// datagram or a confirmation on the carrier proves that the leader has the keys too.
    case installed
    case serving(generation: UInt32, since: Instant)
    /// The next generation is offered; the present one still serves.
    case renewing(SessionRekey)

    package var generation: UInt32? {
        switch self {
        case .offered, .installed: nil
        case .serving(let generation, _): generation
        case .renewing(let rekey): rekey.generation
        }
    }

    /// The highest generation that serves or is offered.
    package var newestGeneration: UInt32? {
        if case .renewing(let rekey) = self { rekey.nextGeneration } else { generation }
    }

    package var since: Instant? {
        switch self {
        case .offered, .installed: nil
        case .serving(_, let since): since
        case .renewing(let rekey): rekey.since
        }
    }
}

package struct SessionRekey: Hashable, Sendable {
    /// The generation that serves, and the instant since which it does.
    package var generation: UInt32
    package var since: Instant
    /// The generation that is offered, and the key id that the peer's datagrams under it will name.
    package var nextGeneration: UInt32
    package var keyID: UInt32
    /// Leader: offers the next generation if no answer has come by then. Follower: `.distantFuture`.
    package var deadline: Instant
}
