import Primitives
import Wire

/// Boots of a peer: to which one a session belongs, and what ends when another comes.
extension MeshNode {
    /// Handles an indirect report of another boot. Mostly the old boot is gone. While the old boot is up, this node
    /// probes it first.
    mutating func handleReportedBoot(of instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        switch links.judgeReport(of: bootNonce, about: index) {
        case .mustBeProbed: startVerifying(index, now: now)
        case .isInDoubt: break
        case .ofPeer: registerInstance(instance, bootNonce, of: index, now: now)
        }
    }

    /// Registers a boot of the peer: ends a session or candidate of any other boot with the same or a lower instance.
    /// If the boot is known, sets its higher instance in its sessions.
    mutating func registerInstance(_ instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        if links[index].candidate?.isReplaced(by: bootNonce, instance) == true { endCandidate(index, now: now) }
        guard let session = links[index].session, session.isReplaced(by: bootNonce, instance) else {
            return advanceBoot(index, boot: bootNonce, as: instance, now: now)
        }
        let reason: DownReason = session.instance < instance ? .newerInstance : .replaced
        if session.instance < instance { reachability[index].cutCooldown(&effects, now: now) }
        endSession(index, reason, dialAt: now, now: now)
    }

    /// Ends the candidate and closes its carrier: the boot that negotiated it is over.
    private mutating func endCandidate(_ index: Int, now: Instant) {
        closeCandidate(index)
        if links[index].state.isLinked {
            guard links[index].renewal.negotiation != nil else { return }
            links[index].endRenewal()
            scheduleRenewal(index, now: now)
        } else if links[index].state.negotiation != nil {
            // Boots may follow one another quickly. Each is worth a dial: at once if the cooldown may be cut, else
            // after `cooldownCutInterval`.
            let wait =
                reachability[index].cutCooldown(&effects, now: now) ? Interval.zero : MeshLimits.cooldownCutInterval
            setState(index, .ended(dialAt: now + wait))
        }
        effects.invalidateDeadlines()
    }

    /// Drops the candidate and closes its carrier, unless the session uses that carrier. Carriers without a HELLO
    /// stay open: they may belong to the next boot.
    mutating func closeCandidate(_ index: Int) {
        let carrier = links[index].candidate?.carrier
        dropCandidate(index)
        if let carrier, carrier != links[index].session?.carrier { links.closeQuietly(carrier, &effects) }
    }
}
