import Primitives

/// Signs that the silence is this node's own: it was late itself, or it has heard nobody at all.
///
/// Peers fall silent one by one; that all of them do at once is hardly ever their doing. So where
/// several are linked, no verdict on any is given while nothing comes from anybody, for a time, and
/// when something comes again every silence begins anew: what the others said waits in the socket.
extension MeshNode {
    /// Whether it looks for its own faults at all; plain SWIM does not.
    var suspectsItself: Bool {
        if case .plain = configuration.suspicion { false } else { true }
    }

    /// Something authentic came.
    mutating func registerArrival(now: Instant) {
        let heardBefore = heardAnybodyAt
        heardAnybodyAt = now
        guard heardBefore + MeshLimits.receiveOutageSilenceMin <= now, suspectsItself else { return }
        deadlines.needsRefresh = true
        guard heardBefore + MeshLimits.receiveOutageMin <= now, hasSeveral(where: { $0.session != nil }) else { return }
        freezeVerdicts(for: .receiveOutages, stoodStillAt: heardBefore, now: now)
    }

    /// When a link in doubt is down unless an echo comes before.
    func verificationEnd(_ verification: LinkVerification) -> Instant {
        guard suspectsItself, verification.deadline != .distantFuture else { return verification.deadline }
        let factor = min(health.factor, MeshLimits.verificationFactorMax)
        let end = verification.since + MeshLimits.verificationMax * factor
        let hasReceiveOutage =
            heardAnybodyAt + MeshLimits.receiveOutageSilenceMin <= end && hasSeveral(where: { $0.state.isLinked })
        return hasReceiveOutage ? end + MeshLimits.receiveOutagePatience : end
    }

    /// A deadline handled late, by less than a pause: for so long this node could not have heard anybody.
    mutating func noteLag(_ lag: Interval, now: Instant) {
        guard MeshLimits.ownLagMin <= lag, suspectsItself else { return }
        counters.count(.ownLags)
        health.worsen(now: now)
        for index in peers.indices {
            peers[index].session?.forgive(lag: lag, now: now)
            if case .verifying(var verification) = peers[index].state {
                verification.since = min(now, verification.since + lag)
                peers[index].state = .verifying(verification)
            }
        }
        deadlines.needsRefresh = true
        refreshAllDeadlines(now: now)
    }

    private func hasSeveral(where isCounted: (PeerLink) -> Bool) -> Bool {
        var count = 0
        for index in peers.indices where isCounted(peers[index]) {
            count += 1
            if count == MeshLimits.receiveOutageNeighboursMin { return true }
        }
        return false
    }
}
