import Primitives
import Wire

/// No, and not yet: neither counts as a failure of the peer.
extension MeshNode {
    mutating func receiveRefusal(_ reason: RefusalReason, retryAfter: Interval, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        counters.count(.refusalsReceived)
        switch reason {
        case .alreadyLinked:
            break
        case .undecided:
            outputs.append(.event(.refused(peers[index].node, reason)))
            let wait = waitAfterRefusal(reason, retryAfter: retryAfter, of: index)
            peers[index].wantedUntil = max(peers[index].wantedUntil, now + MeshLimits.seenMax)
            awaitDecision(index, until: now + wait, on: line, now: now)
            return
        case .duplicateIdentity:
            counters.count(.duplicateIdentities)
            outputs.append(.event(.duplicateIdentity(node)))
            reportLivingDuplicate()
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .blocked, .coolingDown, .offLink:
            outputs.append(.event(.refused(peers[index].node, reason)))
        }
        let retryAfter = waitAfterRefusal(reason, retryAfter: retryAfter, of: index)
        let isOfSession = peers[index].session?.carrier == line.id
        if isOfSession, reason == .blocked || reason == .notAllowed {
            endSession(index, .declined, dialAt: now + retryAfter, now: now)
        }
        dismiss(line, reason, retryAfter: retryAfter, now: now)
    }

    /// A peer may ask for a longer wait than this, and for no shorter one: dials that are refused at once would leave
    /// none for others. It grows while refusal follows refusal.
    private mutating func waitAfterRefusal(_ reason: RefusalReason, retryAfter: Interval, of index: Int) -> Interval {
        let first = reason == .alreadyLinked ? MeshLimits.refusalRetryShort : MeshLimits.refusalRetryFirst
        // A link that stands lacks a carrier only; its renewals have an allowance of their own.
        guard !peers[index].state.isLinked else { return max(retryAfter, first) }
        let doublings = min(peers[index].refusalsInARow, MeshLimits.refusalDoublingsMax)
        peers[index].refusalsInARow += 1
        return max(retryAfter, min(first * (1 << Int64(doublings)), MeshLimits.refusalRetry))
    }

    /// A living duplicate may live on for long: the tries become seldom.
    private mutating func duplicateWait(_ index: Int) -> Interval {
        defer { peers[index].hasMetDuplicate = true }
        return peers[index].hasMetDuplicate ? MeshLimits.duplicateRetryMax : MeshLimits.duplicateRetry
    }

    /// Closes a carrier after a refusal, ours or theirs, and waits without counting a failure.
    mutating func dismiss(_ line: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval, now: Instant) {
        let index = line.slot.index
        let retryAfter = reason == .duplicateIdentity ? duplicateWait(index) : retryAfter
        closeQuietly(line.id)
        if peers[index].candidate?.carrier == line.id { dropCandidate(index) }
        if peers[index].session?.carrier == line.id { peers[index].session?.carrier = nil }
        if reason != .alreadyLinked { peers[index].lastFailure = .refused(reason) }
        let others = carriers.lines(of: line.slot)
        switch peers[index].state {
        case .connecting:
            guard others.isEmpty, peers[index].dials.isOver || reason != .alreadyLinked else { return }
            cancelDials(of: index)
            var dialAt = now + retryAfter
            // A wait that this carrier interrupted is not cut short by a further refusal.
            if let (carrier, until) = peers[index].interrupted, carrier == line.id, until != .distantFuture {
                dialAt = max(dialAt, until)
            }
            setState(index, .refused(dialAt: dialAt))
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            guard negotiation.carrier == line.id else { return }
            if let other = others.last(where: { $0.greeting != nil }), !peers[index].isLeader {
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

    /// A carrier beside a living link was refused: the link has its own, or tries again later.
    mutating func settleRenewal(_ index: Int, after line: CarrierEntry, retryAfter: Interval, now: Instant) {
        let isOther = peers[index].renewal.negotiation.map { $0.carrier != line.id } ?? false
        guard peers[index].state.isLinked, !isOther else { return }
        peers[index].renewal = wantsCarrier(index) ? .due(at: now + retryAfter) : .none
    }

    /// The own person is asked once; the peer waits on its side.
    mutating func askPerson(about index: Int, on line: CarrierEntry, now: Instant) {
        let peer = peers[index].node
        let isAsked = if case .awaitingDecision = peers[index].state { true } else { false }
        if !isAsked {
            outputs.append(.event(.invitationAsked(peer, name: roster[peer]?.record.name ?? SafeText(""))))
        }
        awaitDecision(index, until: .distantFuture, on: line, now: now)
    }

    /// The newest carrier stays open for the answer; those of earlier tries would be too many in the end.
    private mutating func awaitDecision(_ index: Int, until: Instant, on line: CarrierEntry, now: Instant) {
        dropCandidate(index)
        clearAttempt(index) { $0.id == line.id }
        switch peers[index].state {
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision: setState(index, .undecided(until: until))
        case .down, .quarantined:
            setState(index, .opening(now: now))
            setState(index, .undecided(until: until))
        case .up, .verifying: peers[index].renewal = .none
        }
    }

    mutating func answerInvitation(_ peer: NodeID, isAccepted: Bool, now: Instant) {
        if case .ask(var known) = configuration.invitations {
            if isAccepted, !known.contains(peer), known.count < MeshLimits.invitationsKnownMax { known.append(peer) }
            if !isAccepted { known.removeAll { $0 == peer } }
            configuration.invitations = .ask(known: known)
        }
        guard let index = peers.index(of: peer) else { return }
        peers[index].refusedByPerson = !isAccepted
        guard case .awaitingDecision = peers[index].state else { return }
        let open = carriers.lines(of: peers[index].slot).last { $0.greeting != nil }
        if !isAccepted {
            if let open {
                refuse(open, .notAllowed, retryAfter: MeshLimits.refusalRetryMax)
                dismiss(open, .notAllowed, retryAfter: MeshLimits.refusalRetryMax, now: now)
            }
            setState(index, .refused(dialAt: .distantFuture))
        } else if let open, peers[index].isLeader {
            invite(on: open, now: now)
        } else {
            // A new connection of the follower's counts as its connect request.
            if let open { closeQuietly(open.id) }
            peers[index].wantedUntil = now + MeshLimits.seenMax
            setState(index, .scheduled(dialAt: now))
        }
    }
}
