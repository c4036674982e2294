package import Primitives

/// This node's own health: how far it trusts its own verdicts, and when it was absent.
///
/// An *absence* is a time in which this node could receive nothing. Its signs are a deadline that is handled late, the
/// input `resumed` of the shell, and the silence of all peers while this node has sessions with several: peers hardly
/// ever fall silent all at once through their own fault. All absences have the same effects, whatever the sign. The
/// time does not count as a silence of a peer, and the local health of this node becomes worse by one.
struct OwnHealth {
    /// Whether this node looks for its own faults at all; plain SWIM does not.
    let suspectsItself: Bool
    private(set) var health = LocalHealth()
    /// When an authentic datagram of any peer came last. An absence of this node since then moves this instant later by
    /// the length of the absence; a long absence moves it to the end of the absence.
    private var heardAnybodyAt: Instant
    /// When the last long absence ended.
    private var longAbsenceEndedAt: Instant?

    init(_ policy: SuspicionPolicy, now: Instant) {
        suspectsItself = if case .plain = policy { false } else { true }
        heardAnybodyAt = now
    }

    // MARK: Absences

    /// Whether a deadline that is handled this late shows an absence.
    func isAbsence(lag: Interval) -> Bool { suspectsItself && MeshLimits.absenceMin <= lag }

    /// Notes that an authentic datagram came, from any peer.
    /// - Returns: the silence before it, if that is long enough for a receive outage; nil otherwise. It was a receive
    ///   outage only if this node has sessions with several peers, which the caller checks.
    mutating func registerArrival(_ effects: inout Effects, now: Instant) -> Interval? {
        let silence = now - heardAnybodyAt
        heardAnybodyAt = now
        guard MeshLimits.receiveOutageSilenceMin <= silence, suspectsItself else { return nil }
        effects.invalidateDeadlines()
        return MeshLimits.receiveOutageMin <= silence ? silence : nil
    }

    /// Notes an absence that ends now, by which the local health becomes worse by one.
    ///
    /// A late deadline and the shell's report may show the same long absence. It then counts once.
    /// - Parameter sign: the counter of the absence.
    mutating func register(_ absence: Absence, _ sign: MeshCounter, _ effects: inout Effects, now: Instant) {
        if !absence.isLong || !wasJustLongAbsent(now: now) {
            effects.count(sign)
            health.worsen(now: now)
        }
        if absence.isLong { longAbsenceEndedAt = now }
        heardAnybodyAt = absence.forgive(heardAnybodyAt, now: now)
    }

    /// Whether a long absence ended less than `MeshLimits.longAbsenceMin` ago.
    func wasJustLongAbsent(now: Instant) -> Bool {
        longAbsenceEndedAt.map { now - $0 < MeshLimits.longAbsenceMin } ?? false
    }

    // MARK: The end of a verification

    /// Returns the instant at which a link in verification since `since` goes down if no echo comes before. If nothing
    /// comes from any of several peers, this node may be absent, so the verdict waits for
    /// `MeshLimits.receiveOutagePatience` more.
    // `areSeveralLinked` is an autoclosure: this runs after every packet, and counts links only after a long silence.
    func verificationEnd(since: Instant, areSeveralLinked: @autoclosure () -> Bool) -> Instant {
        guard suspectsItself else { return since + MeshLimits.verificationMax }
        let factor = min(health.factor, MeshLimits.verificationFactorMax)
        let end = since + MeshLimits.verificationMax * factor
        let hasReceiveOutage = heardAnybodyAt + MeshLimits.receiveOutageSilenceMin <= end && areSeveralLinked()
        return hasReceiveOutage ? end + MeshLimits.receiveOutagePatience : end
    }

    // MARK: What the peers show

    /// Notes that this node has suspected a peer to which every neighbour still had its link.
    mutating func registerWrongSuspicion(now: Instant) { health.worsen(now: now) }

    /// Notes that an echo came in time.
    mutating func registerEcho(_ effects: inout Effects, now: Instant) {
        if health.improve(now: now) { effects.invalidateDeadlines() }
    }
}

/// How far this node trusts its own verdicts on silent peers (Lifeguard, "local health multiplier", arXiv 1707.00788
/// §4.1). A score of 0 is healthy. Each sign that this node itself is at fault adds one.
///
/// A suspected peer is declared dead after `factor` times the usual wait. If no neighbour has a link to the peer, this
/// wait has an upper bound (`Suspicion.deadline`). For a link in verification the factor is at most
/// `MeshLimits.verificationFactorMax`, because the link can come back soon (`OwnHealth.verificationEnd`).
package struct LocalHealth: Hashable, Sendable {
    package private(set) var score = 0
    private var changedAt: Instant?

    package init() {}

    /// Adds one sign: this node was absent, or it suspected a peer to which every neighbour still had its link.
    package mutating func worsen(now: Instant) {
        score = min(score + 1, MeshLimits.healthScoreMax)
        changedAt = now
    }

    /// Lowers the score by one, because an echo came in time; at the earliest one second after its last change.
    /// - Returns: whether the score changed.
    @discardableResult
    package mutating func improve(now: Instant) -> Bool {
        guard 0 < score else { return false }
        if let changedAt, now < changedAt + MeshLimits.healthRecoveryInterval { return false }
        score -= 1
        changedAt = now
        return true
    }

    /// The factor by which waits are longer, 1 to 9.
    package var factor: Int64 { Int64(score + 1) }
}
