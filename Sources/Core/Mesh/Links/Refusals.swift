import Primitives
import Wire

/// Refusals, and decisions that a person has yet to make. Neither counts as a failure of the peer.
extension MeshNode {
    mutating func receiveRefusal(_ reason: RefusalReason, retryAfter: Interval, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        effects.count(.refusalsReceived)
        switch reason {
        case .alreadyLinked:
            break
        case .undecided:
            effects.report(.refused(links[index].node, reason))
            let wait = waitAfterRefusal(reason, retryAfter: retryAfter, of: index)
            reachability[index].wantedUntil = max(reachability[index].wantedUntil, now + MeshLimits.seenMax)
            awaitDecision(index, until: now + wait, on: line, now: now)
            return
        case .duplicateIdentity:
            effects.count(.duplicateIdentities)
            effects.report(.duplicateIdentity(node))
            reportLivingDuplicate()
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .blocked, .coolingDown, .offLink:
            effects.report(.refused(links[index].node, reason))
        }
        let retryAfter = waitAfterRefusal(reason, retryAfter: retryAfter, of: index)
        let isOfSession = links[index].session?.carrier == line.id
        if isOfSession, reason == .blocked || reason == .notAllowed {
            endSession(index, .declined, dialAt: now + retryAfter, now: now)
        }
        dismiss(line, reason, retryAfter: retryAfter, now: now)
    }

    /// Returns the wait after a refusal: the peer's wait, or a minimum if that is longer. Dials that are refused at
    /// once would otherwise use up the allowance for dials. The minimum doubles with each refusal in a row.
    private mutating func waitAfterRefusal(_ reason: RefusalReason, retryAfter: Interval, of index: Int) -> Interval {
        let first = reason == .alreadyLinked ? MeshLimits.refusalRetryShort : MeshLimits.refusalRetryFirst
        // A living link lacks only a carrier, and renewals have their own allowance.
        guard !links[index].state.isLinked else { return max(retryAfter, first) }
        let doublings = min(links[index].refusalsInARow, MeshLimits.refusalDoublingsMax)
        links[index].refusalsInARow += 1
        return max(retryAfter, min(first * (1 << Int64(doublings)), MeshLimits.refusalRetry))
    }

    /// Returns the wait after a refusal because of a duplicate. The duplicate may live long, so the wait is longer
    /// from the second refusal on.
    private mutating func duplicateWait(_ index: Int) -> Interval {
        defer { links[index].hasMetDuplicate = true }
        return links[index].hasMetDuplicate ? MeshLimits.duplicateRetryMax : MeshLimits.duplicateRetry
    }

    /// Closes a carrier after a refusal by either side, and waits without counting a failure.
    mutating func dismiss(_ line: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval, now: Instant) {
        let index = line.slot.index
        let retryAfter = reason == .duplicateIdentity ? duplicateWait(index) : retryAfter
        closeQuietly(line.id)
        if links[index].candidate?.carrier == line.id { dropCandidate(index) }
        if links[index].session?.carrier == line.id { links[index].session?.carrier = nil }
        if reason != .alreadyLinked { links[index].lastFailure = .refused(reason) }
        let others = links.carriers.lines(of: line.slot)
        switch links[index].state {
        case .connecting:
            guard others.isEmpty, reachability[index].dials.isOver || reason != .alreadyLinked else { return }
            cancelDials(of: index)
            var dialAt = now + retryAfter
            // A further refusal does not shorten the wait that this carrier interrupted.
            if let (carrier, until) = links[index].interrupted, carrier == line.id, until != .distantFuture {
                dialAt = max(dialAt, until)
            }
            setState(index, .refused(dialAt: dialAt))
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            guard negotiation.carrier == line.id else { return }
            if let other = others.last(where: { $0.greeting != nil }), !links[index].isLeader {
                let deadline = now + MeshLimits.negotiationMax
                setState(index, .awaits(LinkNegotiation(carrier: other.id, deadline: deadline)))
            } else {
                setState(index, .refused(dialAt: now + retryAfter))
            }
        case .up, .verifying:
            settleRenewal(index, after: line, retryAfter: retryAfter, now: now)
        case .down(let dialAt):
            if dialAt < now + retryAfter { setState(index, .scheduled(dialAt: now + retryAfter)) }
        case .awaitingDecision, .quarantined:
            break
        }
    }

    /// Ends the renewal after a refusal of a carrier beside a living link. A link without a direct carrier tries
    /// again after `retryAfter`.
    mutating func settleRenewal(_ index: Int, after line: CarrierEntry, retryAfter: Interval, now: Instant) {
        let isOther = links[index].renewal.negotiation.map { $0.carrier != line.id } ?? false
        guard links[index].state.isLinked, !isOther else { return }
        links[index].renewal = wantsCarrier(index) ? .due(at: now + retryAfter) : .none
    }

    /// Asks the person at this node, once for each wait. The link waits for the decision without a time limit.
    mutating func askPerson(about index: Int, on line: CarrierEntry, now: Instant) {
        let peer = links[index].node
        let isAsked = if case .awaitingDecision = links[index].state { true } else { false }
        if !isAsked {
            effects.report(.invitationAsked(peer, name: membership.roster[peer]?.record.name ?? SafeText("")))
        }
        awaitDecision(index, until: .distantFuture, on: line, now: now)
    }

    /// Waits for a person's decision. `line` stays open for the answer; carriers of earlier attempts are closed, so
    /// that they do not pile up.
    private mutating func awaitDecision(_ index: Int, until: Instant, on line: CarrierEntry, now: Instant) {
        dropCandidate(index)
        clearAttempt(index) { $0.id == line.id }
        switch links[index].state {
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision: setState(index, .undecided(until: until))
        case .down, .quarantined:
            setState(index, .opening(now: now))
            setState(index, .undecided(until: until))
        case .up, .verifying: links[index].renewal = .none
        }
    }

    mutating func answerInvitation(_ peer: NodeID, isAccepted: Bool, now: Instant) {
        if case .ask(var known) = configuration.invitations {
            if isAccepted, !known.contains(peer), known.count < MeshLimits.invitationsKnownMax { known.append(peer) }
            if !isAccepted { known.removeAll { $0 == peer } }
            configuration.invitations = .ask(known: known)
        }
        guard let index = links.index(of: peer) else { return }
        links[index].refusedByPerson = !isAccepted
        guard case .awaitingDecision = links[index].state else { return }
        let open = links.carriers.lines(of: links[index].slot).last { $0.greeting != nil }
        if !isAccepted {
            if let open {
                refuse(open, .notAllowed, retryAfter: MeshLimits.refusalRetryMax)
                dismiss(open, .notAllowed, retryAfter: MeshLimits.refusalRetryMax, now: now)
            }
            setState(index, .refused(dialAt: .distantFuture))
        } else if let open, links[index].isLeader {
            invite(on: open, now: now)
        } else {
            // A follower cannot invite. It connects anew, and the leader takes the connection as a connect request.
            if let open { closeQuietly(open.id) }
            reachability[index].wantedUntil = now + MeshLimits.seenMax
            setState(index, .scheduled(dialAt: now))
        }
    }
}
