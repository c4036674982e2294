import Primitives

/// Signs that a silence is the fault of this node: it was late, or it has received nothing from any peer.
///
/// Peers hardly ever fall silent all at once through their own fault. So if several peers are linked and nothing comes
/// from any of them, this node delays its verdicts by `MeshLimits.receiveOutagePatience`. When something comes again,
/// this node measures the silence of every peer from zero: datagrams of the other peers may still wait in the socket.
struct OwnFaults {
    /// Whether this node looks for its own faults at all; plain SWIM does not.
    let suspectsItself: Bool
    private(set) var health = LocalHealth()
    /// When anything authentic last came, from any peer.
    private var heardAnybodyAt: Instant
    /// When this node last had a receive outage or was paused, so that all its verdicts were put off.
    private var frozenAt: Instant?

    init(_ policy: SuspicionPolicy, now: Instant) {
        suspectsItself = if case .plain = policy { false } else { true }
        heardAnybodyAt = now
    }

    // MARK: Receive outages

    /// Notes that an authentic datagram came, from any peer.
    /// - Returns: when the previous datagram came, if the silence since then is long enough for a receive outage; nil
    ///   otherwise. The caller knows whether it was one: then several peers have a session.
    mutating func registerArrival(_ effects: inout Effects, now: Instant) -> Instant? {
        let heardBefore = heardAnybodyAt
        heardAnybodyAt = now
        guard heardBefore + MeshLimits.receiveOutageSilenceMin <= now, suspectsItself else { return nil }
        effects.invalidateDeadlines()
        return heardBefore + MeshLimits.receiveOutageMin <= now ? heardBefore : nil
    }

    /// Returns the instant at which a link in verification since `since` goes down if no echo comes before.
    // An autoclosure, because this runs after every packet, and the links have to be counted only after a long silence.
    func verificationEnd(since: Instant, areSeveralLinked: @autoclosure () -> Bool) -> Instant {
        guard suspectsItself else { return since + MeshLimits.verificationMax }
        let factor = min(health.factor, MeshLimits.verificationFactorMax)
        let end = since + MeshLimits.verificationMax * factor
        let hasReceiveOutage = heardAnybodyAt + MeshLimits.receiveOutageSilenceMin <= end && areSeveralLinked()
        return hasReceiveOutage ? end + MeshLimits.receiveOutagePatience : end
    }

    // MARK: Pauses of this node

    /// What it shows that a deadline was handled late.
    enum Lateness {
        case inTime
        /// This node lacks processor time: during the lag it could not receive anything.
        case lag
        /// The process of this node was paused.
        case pause
    }

    /// Judges how late a deadline was handled. A lag is counted here. A pause is counted when the verdicts are put off.
    mutating func registerLateness(_ lag: Interval, _ effects: inout Effects, now: Instant) -> Lateness {
        if MeshLimits.ownPauseMin < lag { return .pause }
        guard MeshLimits.ownLagMin <= lag, suspectsItself else { return .inTime }
        effects.count(.ownLags)
        health.worsen(now: now)
        return .lag
    }

    /// Whether the verdicts were put off less than `MeshLimits.ownPauseMin` ago.
    func hasJustStoodStill(now: Instant) -> Bool {
        frozenAt.map { now - $0 < MeshLimits.ownPauseMin } ?? false
    }

    /// Notes that this node was paused or had a receive outage. From now on it measures every silence from zero.
    ///
    /// A late deadline, the input `resumed` of the shell and the silence of all peers may all show the same pause. That
    /// pause counts as one sign of ill health: if it counted several times, this node would doubt itself for long.
    /// - Parameter sign: the counter of the event, a pause or a receive outage.
    mutating func registerStandstill(_ sign: MeshCounter, _ effects: inout Effects, now: Instant) {
        if !hasJustStoodStill(now: now) {
            effects.count(sign)
            health.worsen(now: now)
        }
        frozenAt = now
        heardAnybodyAt = now
    }

    // MARK: What the peers show

    /// Notes that this node has suspected a peer to which every neighbour still had its link.
    mutating func registerWrongSuspicion(now: Instant) { health.worsen(now: now) }

    /// Notes that an echo came in time.
    mutating func registerEcho(_ effects: inout Effects, now: Instant) {
        if health.improve(now: now) { effects.invalidateDeadlines() }
    }
}
