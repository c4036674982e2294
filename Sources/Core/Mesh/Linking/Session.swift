package import Primitives
import Trust
import Wire

/// What a pair has agreed: link id, media keys, and the paths and carrier that serve it.
///
/// Lost paths do not end it; LEAVE, block, a newer instance and the end of its keys do.
///
/// A reference, for it is large and read after every packet; exactly one `PeerLink` holds it, as
/// session, candidate or retired one. Internal, so that the optimizer sees every access and proves what would
/// be checked at run time otherwise.
final class Session {
    let context: SessionContext
    /// The other boot, by the highest instance that it has raised itself to.
    private(set) var instance: Instance
    /// Begins as agreed in `context`, which the keys hang on; follows whoever raises its counter.
    private(set) var link: LinkID
    let bootNonce: BootNonce
    var media: MediaSession
    /// Key ids given to this session, those of an offer under way included.
    var keyIDs: [UInt32]
    /// Nil while the carrier is being renewed.
    var carrier: CarrierID?
    var paths: PathTable
    var sent = SentHeartbeats()
    var keys: SessionKeys
    /// No key id was free; until then none is asked for.
    var rekeyPausedUntil = Instant.zero

    var startedAt: Instant
    /// When anything authentic came last, over any path.
    var heardAt: Instant
    /// When the newest block left that the peer has echoed.
    var echoedAt: Instant?
    var controlLoss = ControlLoss()
    var controlSequence: UInt32
    var controlDueAt: Instant
    private var newestHeard: UInt32?
    /// Between the probes of a session whose link is down.
    var sleepInterval = MeshLimits.controlInterval
    var peerDigest: UInt64?
    /// The peer's row that came before its echo: the peer, up already, has told it and does not tell it again.
    var linkStatesBeforeEcho: [AdvertisedLink]?
    var linkStatesDeferred: DeferredLinkStates?
    /// Of addresses from which something came, and of such as the peer is said to have.
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

    /// Whether a control block is newer than all that were heard before, over any path.
    func isNewest(_ sequence: UInt32) -> Bool {
        if let newestHeard, Int32(bitPattern: sequence &- newestHeard) <= 0 { return false }
        newestHeard = sequence
        return true
    }

    /// The own boot goes on under a higher instance.
    func advance(own instance: Instance) { label(instance, isLeaders: context.isLeader) }

    /// The peer's boot does.
    func advance(peer instance: Instance) {
        self.instance = instance
        label(instance, isLeaders: !context.isLeader)
    }

    private func label(_ instance: Instance, isLeaders: Bool) {
        link = LinkID(
            leaderInstance: isLeaders ? instance : link.leaderInstance,
            followerInstance: isLeaders ? link.followerInstance : instance, attempt: link.attempt)
    }

    /// Whether both sides have its keys.
    var isServing: Bool {
        if case .serving = keys { true } else { false }
    }

    /// When the peer's silence, or its missing echoes, put the link in doubt.
    var silentAt: Instant {
        let silence = controlLoss.silenceMax
        let echoSilence = silence + (MeshLimits.echoSilenceMax - MeshLimits.silenceMax)
        return min(heardAt + silence, (echoedAt ?? startedAt) + echoSilence)
    }

    /// Own still-stand is no silence of the peer's.
    func forgive(stoodStillAt: Instant, now: Instant) {
        heardAt = now
        if echoedAt != nil { echoedAt = now }
        paths.forgive(stoodStillAt: stoodStillAt, now: now)
    }

    /// The same of a while that is part of a silence.
    func forgive(lag: Interval, now: Instant) {
        heardAt = min(now, heardAt + lag)
        echoedAt = echoedAt.map { min(now, $0 + lag) }
        paths.forgive(lag: lag, now: now)
    }
}

/// How far the media keys of a session are.
///
///     offered ─► installed ─► serving ⇄ renewing
///
package enum SessionKeys: Hashable, Sendable {
    /// My half is sent, the peer's has not come.
    case offered
    /// Both halves are there: opens, and seals once the peer is known to open (follower).
    case installed
    case serving(generation: UInt32, since: Instant)
    /// The next generation is offered; the present one goes on.
    case renewing(SessionRekey)

    package var generation: UInt32? {
        switch self {
        case .offered, .installed: nil
        case .serving(let generation, _): generation
        case .renewing(let rekey): rekey.generation
        }
    }

    /// The highest that is in service or offered.
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
    /// In service, and since when.
    package var generation: UInt32
    package var since: Instant
    /// Offered, with the key id that its datagrams will name.
    package var nextGeneration: UInt32
    package var keyID: UInt32
    /// The offer is made anew where no answer came by then.
    package var deadline: Instant
}
