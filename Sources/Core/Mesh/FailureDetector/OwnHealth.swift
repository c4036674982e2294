import Primitives

/// This node's own health: how far it trusts its own verdicts, and when it was absent.
///
/// An *absence* is a time in which this node could receive nothing. Its signs are a deadline that is handled late, the
/// input `resumed` of the shell, and the silence of all peers while several are linked: peers hardly ever fall silent
/// all at once through their own fault. All absences have the same effects, whatever the sign. The time is no silence
/// of a peer, and the local health becomes worse by one.
struct OwnHealth {
    /// Whether this node looks for its own faults at all; plain SWIM does not.
    let suspectsItself: Bool
    private(set) var health = LocalHealth()
    /// When anything authentic last came, from any peer; later by the absences since.
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
    /// - Returns: the silence before it, if that is long enough for a receive outage; nil otherwise. The caller knows
    ///   whether it was one: then several peers have a session.
    mutating func registerArrival(_ effects: inout Effects, now: Instant) -> Interval? {
        let silence = now - heardAnybodyAt
        heardAnybodyAt = now
        guard MeshLimits.receiveOutageSilenceMin <= silence, suspectsItself else { return nil }
        effects.invalidateDeadlines()
        return MeshLimits.receiveOutageMin <= silence ? silence : nil
    }

    /// Notes an absence that ends now. It is one sign of poor health.
    ///
    /// A late deadline and the shell's report may show the same long absence. It then counts as one sign.
    /// - Parameter sign: the counter of the event.
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
    // An autoclosure, because this runs after every packet, and the links have to be counted only after a long silence.
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
