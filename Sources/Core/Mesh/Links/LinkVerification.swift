package import Primitives

/// A link in verification: this node sends probes. If no echo comes, the link goes down after
/// `MeshLimits.verificationMax`, or later if there are signs that this node itself is at fault.
package struct LinkVerification: Hashable, Sendable {
    package var upSince: Instant
    package var since: Instant
    package var probesSent: Int
    package var nextProbeAt: Instant

    package init(upSince: Instant, since: Instant) {
        self.upSince = upSince
        self.since = since
        probesSent = 0
        nextProbeAt = since
    }

    /// Schedules the next probe: the first ones follow one another quickly.
    mutating func probeSent(random: inout SeededRandom, now: Instant) {
        probesSent += 1
        let isQuick = probesSent < MeshLimits.probesQuickMax
        nextProbeAt = now + (isQuick ? MeshLimits.probeInterval : random.interval(in: MeshLimits.probeSlowInterval))
    }

    /// Lengthens the verification because of an absence of this node that ends now: meanwhile it could not receive an
    /// echo.
    mutating func forgive(_ absence: Absence, now: Instant) { since = absence.forgive(since, now: now) }
}
