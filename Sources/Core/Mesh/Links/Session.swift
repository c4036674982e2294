package import Primitives
import Trust
import Wire

/// What a pair has agreed: link id, media keys, and the paths and the carrier in use.
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
    var paths: PathTable
    var sent = SentHeartbeats()
    var keys: SessionKeys
    /// Set when no key id was free: the leader offers no new keys before this instant.
    var rekeyPausedUntil = Instant.zero

    var startedAt: Instant
    /// When the last authentic datagram came, over any path.
    var heardAt: Instant
    /// When this node sent the newest control block that the peer has echoed.
    var echoedAt: Instant?
    var controlLoss = ControlLoss()
    var controlSequence: UInt32
    var controlDueAt: Instant
    private var newestHeard: UInt32?
    /// Interval between probes while the link is down.
    var sleepInterval = MeshLimits.controlInterval
    var peerDigest: UInt64?
    /// Link states that the peer sent before its first echo arrived here. The peer is already up and does not send
    /// them again.
    var linkStatesBeforeEcho: [AdvertisedLink]?
    var linkStatesDeferred: DeferredLinkStates?
    /// Allowances for path challenges: `challenges` for addresses from which a datagram came, `announcedChallenges`
    /// for addresses at which the peer is only said to be.
    var challenges: TokenBucket
    var announcedChallenges: TokenBucket

    init(
        context: SessionContext, instance: Instance, bootNonce: BootNonce, media: MediaSession, keyID: UInt32,
        carrier: CarrierID, direct: Endpoint?, firstSequence: UInt32, capacity: MeshCapacity, now: Instant
    ) {
        self.context = context
        self.instance = instance
        link = context.link
        self.bootNonce = bootNonce
        self.media = media
        keyIDs = [keyID]
        self.carrier = carrier
        paths = PathTable(direct: direct, directPathsMax: capacity.directPathsMax)
        keys = .offered
        startedAt = now
        heardAt = now
        controlSequence = firstSequence
        controlDueAt = .distantFuture
        challenges = TokenBucket(
            burst: capacity.pathChallengeBurst, interval: MeshLimits.pathChallengeInterval, now: now)
        announcedChallenges = challenges
    }

    /// Returns whether a control block is newer than all blocks before it, over any path, and remembers it if so.
    func isNewest(_ sequence: UInt32) -> Bool {
        if let newestHeard, Int32(bitPattern: sequence &- newestHeard) <= 0 { return false }
        newestHeard = sequence
        return true
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

    /// Whether both sides have the keys, and no rekey is under way.
    var isServing: Bool {
        if case .serving = keys { true } else { false }
    }

    /// Instant at which the peer's silence, or its missing echoes, start the verification of the link.
    var silentAt: Instant {
        let silence = controlLoss.silenceMax
        let echoSilence = silence + (MeshLimits.echoSilenceMax - MeshLimits.silenceMax)
        return min(heardAt + silence, (echoedAt ?? startedAt) + echoSilence)
    }

    /// Restarts the silence after this node stood still: that pause is no silence of the peer.
    func forgive(stoodStillAt: Instant, now: Instant) {
        heardAt = now
        if echoedAt != nil { echoedAt = now }
        paths.forgive(stoodStillAt: stoodStillAt, now: now)
    }

    /// Shortens the silence by `lag`, during which this node was late.
    func forgive(lag: Interval, now: Instant) {
        heardAt = min(now, heardAt + lag)
        echoedAt = echoedAt.map { min(now, $0 + lag) }
        paths.forgive(lag: lag, now: now)
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
