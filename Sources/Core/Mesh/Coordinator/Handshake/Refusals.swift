import Primitives
import Wire

/// Refusals of a carrier, by this node or by the peer. They do not count as a failure of the peer.
extension MeshNode {
    mutating func receiveRefusal(_ refusal: Refusal, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        let reason = refusal.reason
        effects.count(.refusalsReceived)
        switch reason {
        case .alreadyLinked:
            break
        case .undecided:
            effects.report(.refused(links[index].node, reason))
            // An earlier refusal, such as of a denied key, no longer holds.
            links[index].recordFailure(.refused(reason))
            let wait = links[index].waitAfter(refusal)
            // The peer has ended its session. If it could not tell this node so, the session sleeps here.
            let isAsleep = links[index].session != nil && !links[index].state.isLinked
            if isAsleep || links[index].session?.carrier == carrier.id {
                endSession(index, .declined, dialAt: now + wait, now: now)
            }
            reachability[index].want(now: now)
            awaitDecision(until: now + wait, on: carrier, now: now)
            return
        case .duplicateIdentity:
            effects.count(.duplicateIdentities)
            effects.report(.duplicateIdentity(node))
            membership.stopAdvance(&effects)
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .blocked, .coolingDown, .offLink, .noProof,
            .wrongCode:
            effects.report(.refused(links[index].node, reason))
        }
        if reason == .noProof { recordLeftBehind(by: links[index].node) }
        let retryAfter = links[index].waitAfter(refusal)
        let isOfSession = links[index].session?.carrier == carrier.id
        if isOfSession, reason == .blocked || reason == .notAllowed || reason == .noProof {
            endSession(index, reason == .noProof ? .noProof : .declined, dialAt: now + retryAfter, now: now)
        }
        dismiss(carrier, Refusal(reason, retryAfter: retryAfter), now: now)
    }

    /// Closes a carrier after a refusal by either side, and waits without counting a failure.
    mutating func dismiss(_ carrier: CarrierEntry, _ refusal: Refusal, now: Instant) {
        let index = carrier.slot.index
        reachability.endedCarrier(dialledAt: carrier.dialled)
        let wait = links.closeRefused(carrier, refusal, &effects)
        // A peer that refuses is alive. So the link is verified only after the limit of silence, not at once.
        if links.forgetSessionCarrier(carrier) { paths[index].current?.forgetCarrier() }
        if links[index].candidate?.carrier == carrier.id { dropCandidate(index) }
        guard !links[index].state.isLinked else {
            return links.settleRenewal(after: carrier, retryAfter: wait, now: now)
        }
        let areDialsOver = reachability[index].dials.isOver
        let event = links.eventAfterRefusal(
            of: carrier, refusal.reason, retryAfter: wait, areDialsOver: areDialsOver, now: now)
        guard let event else { return }
        if case .connecting = links[index].state { reachability.cancelDials(of: index, &effects) }
        setState(index, event)
    }
}
