import Primitives
import Wire

/// Carriers that close, and what that means for the link.
extension MeshNode {
    mutating func closeCarrier(_ id: CarrierID, _ end: CarrierEnd, now: Instant) {
        guard let carrier = links.removeCarrier(id) else { return }
        loseCarrier(carrier, .carrierClosed(end), now: now)
    }

    /// Closes a carrier that broke the protocol or timed out. An attempt that depends on it fails.
    mutating func abandon(_ carrier: CarrierEntry, _ failure: LinkFailure = .noAnswer, now: Instant) {
        guard links.removeCarrier(carrier.id) != nil else { return }
        effects.output(.carrierClose(carrier.id))
        loseCarrier(carrier, failure, now: now)
    }

    mutating func dropSilentCarriers(now: Instant) {
        for carrier in links.overdueCarriers(now: now) {
            abandon(carrier, carrier.admission.awaitsProof ? .noProof : .noHello, now: now)
        }
    }

    private mutating func loseCarrier(_ carrier: CarrierEntry, _ failure: LinkFailure, now: Instant) {
        let index = carrier.slot.index
        reachability.endedCarrier(dialledAt: carrier.dialled)
        if links.forgetCandidateCarrier(carrier) { dropCandidate(index) }
        if links.forgetSessionCarrier(carrier) {
            paths[index].current?.forgetCarrier()
            serveWithoutCarrier(index, now: now)
        }
        switch links.consequence(ofLosing: carrier, failure, areDialsOver: reachability[index].dials.isOver) {
        case .attemptFails: failAttempt(index, failure, now: now)
        case .waitGoesOn(let dialAt): setState(index, .refused(dialAt: dialAt))
        case .renewalFails: failRenewal(index, failure, now: now)
        case .isHarmless: break
        }
    }

    /// Handles the loss of the session's carrier without LEAVE. A killed process closes its carrier immediately, so the
    /// verification of the link begins at once. As long as the paths bring echoes, the link stays, and this node dials
    /// a new carrier.
    private mutating func serveWithoutCarrier(_ index: Int, now: Instant) {
        guard links.needsCarrier(index) else { return }
        if links[index].state.isUp { startVerifying(index, now: now) }
        scheduleRenewal(index, now: now)
    }
}
