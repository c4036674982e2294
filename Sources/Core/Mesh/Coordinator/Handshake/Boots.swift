import Primitives
import Trust
import Wire

/// The boots of a peer, that is, the runs of its process: to which boot a session belongs, and what ends when a new
/// boot comes.
extension MeshNode {
    /// Handles a record of the peer, from gossip or a beacon, that another boot of the peer has signed. Mostly the old
    /// boot has ended. While the link with the old boot is up, this node first probes it.
    mutating func handleReportedBoot(of instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        switch links.judgeReport(of: bootNonce, about: index) {
        case .mustBeProbed: startVerifying(index, now: now)
        case .isInDoubt: break
        case .ofPeer: registerInstance(instance, bootNonce, of: index, now: now)
        }
    }

    /// Notes the boot and the instance under which the peer runs now. A session or a candidate with another boot ends
    /// if the instance of that other boot is the same or lower. A session or a candidate with this boot gets the higher
    /// instance.
    mutating func registerInstance(_ instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        if links[index].candidate?.isReplaced(by: bootNonce, instance) == true { endCandidate(index, now: now) }
        guard let session = links[index].session, session.isReplaced(by: bootNonce, instance) else {
            return advanceBoot(index, boot: bootNonce, as: instance, now: now)
        }
        let reason: DownReason = session.instance < instance ? .newerInstance : .replaced
        endSession(index, reason, dialAt: now, now: now)
    }

    /// Ends the candidate session and closes its carrier: another boot of the peer has replaced the boot that
    /// negotiated it.
    private mutating func endCandidate(_ index: Int, now: Instant) {
        closeCandidate(index)
        if links[index].state.isLinked {
            guard links[index].renewal.negotiation != nil else { return }
            links[index].endRenewal()
            scheduleRenewal(index, now: now)
        } else if links[index].state.negotiation != nil {
            // A peer may restart several times within a short time, and each new boot is dialled. The dial comes at
            // once if this node has not shortened a wait of this peer within `cooldownCutInterval`. Otherwise it comes
            // that interval later.
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

/// Advances of the instance: a boot of this node or of a peer, whose counter was rolled back, goes on under a higher
/// instance number (`InstanceAdvance`). The sessions of that boot stay, and get new link ids.
extension MeshNode {
    /// Makes `instance`, which is on disk now, the instance number of this boot in place of a lower one. Links stay up,
    /// under new link ids. A peer without a link may have refused the lower number, so an attempt under way and a wait
    /// for the next attempt both end, and the peer is dialled at once.
    mutating func advanceOwnInstance(to instance: Instance, now: Instant) {
        guard membership.advance(to: instance, sealing: sealing, neighbours, &effects, now: now) else { return }
        for index in links.indices {
            links[index].advance(own: instance)
            // The keys of a negotiation under way depend on the old instance.
            clearAttempt(index)
            restartAttempt(index, now: now)
        }
        membership.scheduleLinkStates(now: now)
    }

    /// Lets the peer learn the new instance number of this node: from a new attempt, or, if the link is up and its
    /// carrier is being renewed, from the new carrier. Does nothing where no attempt is planned, or a person has to
    /// decide.
    private mutating func restartAttempt(_ index: Int, now: Instant) {
        switch links[index].state {
        case .up, .verifying:
            links[index].restartRenewal(now: now)
        case .down(let dialAt) where dialAt == .distantFuture:
            break
        case .down, .connecting, .inviting, .awaitingInvite:
            setState(index, .ended(dialAt: now))
        case .awaitingDecision:
            break
        }
    }

    /// Stores the higher instance of a peer's boot in every session with that boot: also in the candidate, which would
    /// otherwise bring the old instance back when it becomes the session.
    mutating func advanceBoot(_ index: Int, boot: BootNonce, as instance: Instance, now: Instant) {
        guard links[index].advance(boot: boot, to: instance) else { return }
        membership.scheduleLinkStates(now: now)
        guard links[index].state.isLinked else { return }
        effects.report(.peerAdvanced(links[index].slot, links[index].node, instance))
    }
}
