import Primitives
import Wire

/// The boots of a peer, that is, the runs of its process: to which boot a session belongs, and what ends when a new
/// boot comes.
extension MeshNode {
    /// Handles a third node's report that the peer runs as another boot. Mostly the old boot has ended. While the link
    /// with the old boot is up, this node first probes it.
    mutating func handleReportedBoot(of instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        switch links.judgeReport(of: bootNonce, about: index) {
        case .mustBeProbed: startVerifying(index, now: now)
        case .isInDoubt: break
        case .ofPeer: registerInstance(instance, bootNonce, of: index, now: now)
        }
    }

    /// Registers a boot of the peer. A session or a candidate of another boot ends, if its instance is the same or
    /// lower. If the boot is known, its sessions get the higher instance.
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
            // A peer may restart several times within a short time, and each new boot is dialled. The dial may come at
            // once only if this node has not shortened a wait of this peer within `cooldownCutInterval`; otherwise it
            // comes after that interval.
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
