import Primitives

/// Signs that a silence is this node's own fault: this node was late, or it has received nothing from any peer.
///
/// Peers fall silent one by one; silence of all at once is hardly ever their fault. So if several peers are linked
/// and nothing comes from any of them, this node delays its verdicts by `MeshLimits.receiveOutagePatience`. When
/// something comes again, every silence restarts, because the datagrams of the other peers may still wait in the
/// socket.
struct OwnFaults {
    /// Whether this node looks for its own faults at all; plain SWIM does not.
    let suspectsItself: Bool
    private(set) var health = LocalHealth()
    /// When anything authentic last came, from any peer.
    private var heardAnybodyAt: Instant
    /// When the verdicts were last frozen, because this node had a receive outage or stood still.
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

    /// What the lag of a deadline shows, from its instant to the handling.
    enum Lateness {
        case inTime
        /// This node lacks processor time: during the lag it could not receive anything.
        case lag
        /// This node stood still.
        case pause
    }

    /// Judges how late a deadline was handled. A lag counts here; a pause counts when the verdicts are frozen.
    mutating func registerLateness(_ lag: Interval, _ effects: inout Effects, now: Instant) -> Lateness {
        if MeshLimits.ownPauseMin < lag { return .pause }
        guard MeshLimits.ownLagMin <= lag, suspectsItself else { return .inTime }
        effects.count(.ownLags)
        health.worsen(now: now)
        return .lag
    }

    /// Whether the verdicts were frozen less than `MeshLimits.ownPauseMin` ago.
    func hasJustStoodStill(now: Instant) -> Bool {
        frozenAt.map { now - $0 < MeshLimits.ownPauseMin } ?? false
    }

    /// Notes that this node stood still or had a receive outage, so that all silence counts from now.
    ///
    /// One pause may show itself by a late deadline, by the shell's `resumed` input and by the silence of all peers.
    /// It counts as one sign of ill health: otherwise a single pause would make this node doubt itself for long.
    /// - Parameter sign: the counter of this sign.
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
