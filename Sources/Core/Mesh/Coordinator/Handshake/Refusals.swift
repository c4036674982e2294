import Primitives
import Wire

/// Refusals, by either side. They do not count as a failure of the peer.
extension MeshNode {
    mutating func receive(_ refusal: Refusal, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        let reason = refusal.reason
        effects.count(.refusalsReceived)
        switch reason {
        case .alreadyLinked:
            break
        case .undecided:
            effects.report(.refused(links[index].node, reason))
            let wait = links[index].waitAfter(refusal)
            reachability[index].want(now: now)
            awaitDecision(until: now + wait, on: line, now: now)
            return
        case .duplicateIdentity:
            effects.count(.duplicateIdentities)
            effects.report(.duplicateIdentity(node))
            membership.stopAdvance(&effects)
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .blocked, .coolingDown, .offLink:
            effects.report(.refused(links[index].node, reason))
        }
        let retryAfter = links[index].waitAfter(refusal)
        let isOfSession = links[index].session?.carrier == line.id
        if isOfSession, reason == .blocked || reason == .notAllowed {
            endSession(index, .declined, dialAt: now + retryAfter, now: now)
        }
        dismiss(line, Refusal(reason, retryAfter: retryAfter), now: now)
    }

    /// Closes a carrier after a refusal by either side, and waits without counting a failure.
    mutating func dismiss(_ line: CarrierEntry, _ refusal: Refusal, now: Instant) {
        let index = line.slot.index
        let wait = links.closeRefused(line, refusal, &effects)
        if links.forgetSessionCarrier(line) { paths[index].session?.forgetCarrier() }
        if links[index].candidate?.carrier == line.id { dropCandidate(index) }
        guard !links[index].state.isLinked else {
            return links.settleRenewal(after: line, retryAfter: wait, now: now)
        }
        let areDialsOver = reachability[index].dials.isOver
        let event = links.eventAfterRefusal(
            of: line, refusal.reason, retryAfter: wait, areDialsOver: areDialsOver, now: now)
        guard let event else { return }
        if case .connecting = links[index].state { reachability.cancelDials(of: index, &effects) }
        setState(index, event)
    }
}
