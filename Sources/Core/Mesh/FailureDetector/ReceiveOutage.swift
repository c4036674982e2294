import Primitives

/// Signs that a silence is this node's own fault: this node was late, or it has received nothing from any peer.
///
/// Peers fall silent one by one; silence of all at once is hardly ever their fault. So if several peers are linked
/// and nothing comes from any of them, this node delays its verdicts by `MeshLimits.receiveOutagePatience`. When
/// something comes again, every silence restarts, because the datagrams of the other peers may still wait in the
/// socket.
extension MeshNode {
    /// Whether this node looks for its own faults at all; plain SWIM does not.
    var suspectsItself: Bool {
        if case .plain = configuration.suspicion { false } else { true }
    }

    /// Notes that an authentic datagram came, from any peer; freezes the verdicts after a receive outage.
    mutating func registerArrival(now: Instant) {
        let heardBefore = detector.heardAnybodyAt
        detector.heardAnybodyAt = now
        guard heardBefore + MeshLimits.receiveOutageSilenceMin <= now, suspectsItself else { return }
        effects.invalidateDeadlines()
        guard heardBefore + MeshLimits.receiveOutageMin <= now, hasSeveral(where: { $0.session != nil }) else { return }
        freezeVerdicts(for: .receiveOutages, stoodStillAt: heardBefore, now: now)
    }

    /// Returns when a link that is being verified goes down, unless an echo comes before.
    func verificationEnd(_ verification: LinkVerification) -> Instant {
        guard suspectsItself, verification.deadline != .distantFuture else { return verification.deadline }
        let factor = min(detector.health.factor, MeshLimits.verificationFactorMax)
        let end = verification.since + MeshLimits.verificationMax * factor
        let hasReceiveOutage =
            detector.heardAnybodyAt + MeshLimits.receiveOutageSilenceMin <= end
            && hasSeveral(where: { $0.state.isLinked })
        return hasReceiveOutage ? end + MeshLimits.receiveOutagePatience : end
    }

    /// Takes the lag of a deadline that was handled late, but by less than a pause, out of every silence: during the
    /// lag this node could not receive anything.
    mutating func handleLag(_ lag: Interval, now: Instant) {
        guard MeshLimits.ownLagMin <= lag, suspectsItself else { return }
        effects.count(.ownLags)
        detector.health.worsen(now: now)
        for index in links.indices {
            paths[index].session?.forgive(lag: lag, now: now)
            if case .verifying(var verification) = links[index].state {
                verification.since = min(now, verification.since + lag)
                links[index].state = .verifying(verification)
            }
        }
        effects.invalidateDeadlines()
        refreshAllDeadlines(now: now)
    }

    private func hasSeveral(where isCounted: (PeerLink) -> Bool) -> Bool {
        var count = 0
        for index in links.indices where isCounted(links[index]) {
            count += 1
            if count == MeshLimits.receiveOutageNeighboursMin { return true }
        }
        return false
    }
}
