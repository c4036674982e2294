import Primitives
import Wire

/// The paths of one session, and the signs of life that came over them.
///
/// A class, because it is large and read after every packet. Exactly one record of a peer holds it, as `session` or
/// `candidate`. It is internal, so that the optimizer sees every access and removes exclusivity checks that would
/// otherwise run at each access.
final class PathSet {
    var table: PathTable
    var sent = SentHeartbeats()
    let startedAt: Instant
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
    /// Allowances for path challenges: `challenges` for addresses from which a datagram came, `announcedChallenges`
    /// for addresses at which the peer is only said to be.
    var challenges: TokenBucket
    var announcedChallenges: TokenBucket

    /// - Parameters:
    ///   - direct: the address where the peer is expected; nil for a session on a tunnelled carrier.
    ///   - firstSequence: the number before that of the first control block.
    init(direct: Endpoint?, firstSequence: UInt32, capacity: MeshCapacity, now: Instant) {
        table = PathTable(direct: direct, directPathsMax: capacity.directPathsMax)
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
        table.forgive(stoodStillAt: stoodStillAt, now: now)
    }

    /// Shortens the silence by `lag`, during which this node was late.
    func forgive(lag: Interval, now: Instant) {
        heardAt = min(now, heardAt + lag)
        echoedAt = echoedAt.map { min(now, $0 + lag) }
        table.forgive(lag: lag, now: now)
    }
}
