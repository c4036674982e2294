import Primitives

/// What the opening and the loss of a carrier mean for the link.
extension Links {
    /// Whether this node waits, after failures, before it tries again to reach the peer. A carrier that the peer opens
    /// counts as a connect request and ends the wait, at most once in 2 s.
    func isCoolingDown(_ index: Int, isFailing: Bool, now: Instant) -> Bool {
        switch self[index].state {
        case .down(let dialAt): isFailing && now < dialAt && dialAt != .distantFuture
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: false
        }
    }

    /// Whether a carrier of the peer has opened and brought no HELLO so far.
    func hasSilentCarrier(_ index: Int) -> Bool {
        carriers.entries.contains { $0.slot == self[index].slot && $0.greeting == nil }
    }

    /// Starts an attempt for a carrier that has opened; starts a renewal if the peer is linked. Both may happen
    /// whichever side dialled.
    mutating func registerOpening(
        of carrier: CarrierEntry, isOwnDial: Bool, _ effects: inout Effects, now: Instant
    ) {
        let index = carrier.slot.index
        switch self[index].state {
        case .down(let dialAt):
            // Notes the wait for the next attempt that this carrier interrupts: the wait goes on if the carrier closes
            // before HELLO. A dial of this node may interrupt a wait too, if it opens late, after its attempt was
            // refused. If `dialAt` is `.distantFuture`, this node's dial went to an address without a NodeID, and there
            // was no wait to interrupt.
            if !isOwnDial || dialAt != .distantFuture { self[index].interrupted = (carrier.id, dialAt) }
            changeAttempt(index, .opening(now: now), &effects)
        case .up, .verifying:
            switch self[index].renewal {
            case .none, .due: self[index].renewal = .connecting(since: now)
            case .connecting, .negotiating: break
            }
        case .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            break
        }
    }

    // MARK: Loss

    /// Removes a closed carrier from the candidate session, if the candidate used it. If the keys of the candidate are
    /// agreed, its negotiation goes on over the other paths until its deadline.
    /// - Returns: whether the candidate has to be given up, because its keys are not agreed.
    func forgetCandidateCarrier(_ carrier: CarrierEntry) -> Bool {
        guard let candidate = self[carrier.slot.index].candidate, candidate.carrier == carrier.id else { return false }
        candidate.carrier = nil
        return candidate.keys == .offered
    }

    /// Removes a closed carrier from the session, if the session used it.
    /// - Returns: whether the session used it.
    mutating func forgetSessionCarrier(_ carrier: CarrierEntry) -> Bool {
        let index = carrier.slot.index
        guard let session = self[index].session, session.carrier == carrier.id else { return false }
        session.carrier = nil
        // The lost carrier was a tunnel, and the scheduled renewal was only a search for a direct carrier, which may be
        // due much later. Now the link has no carrier at all, so that schedule is dropped: the link needs any carrier
        // soon.
        if carrier.isTunnelled, case .due = self[index].renewal { self[index].renewal = .none }
        return true
    }

    /// Closes the carrier of the session. The link stays as it is.
    mutating func closeSessionCarrier(of index: Int, _ effects: inout Effects) {
        guard let session = self[index].session, let carrier = session.carrier else { return }
        closeQuietly(carrier, &effects)
        session.carrier = nil
    }

    /// Whether a link that has lost its carrier needs a new one: no candidate is bringing one already.
    func needsCarrier(_ index: Int) -> Bool { self[index].state.isLinked && self[index].candidate == nil }

    /// What becomes of an attempt or a renewal that depended on a closed carrier.
    enum CarrierLoss {
        case attemptFails
        /// The peer closed the carrier before it sent HELLO. Either two dials crossed and it cancelled its own, or it
        /// refused a further carrier. The wait that the carrier interrupted goes on.
        case waitGoesOn(dialAt: Instant)
        case renewalFails
        /// Nothing depended on the carrier, or something else can still complete the attempt.
        case isHarmless
    }

    /// - Parameter areDialsOver: whether no dial of the attempt is under way or planned.
    func consequence(ofLosing carrier: CarrierEntry, _ failure: LinkFailure, areDialsOver: Bool) -> CarrierLoss {
        let link = self[carrier.slot.index]
        let isNegotiating =
            link.state.negotiation?.carrier == carrier.id || link.renewal.negotiation?.carrier == carrier.id
        if isNegotiating, link.candidate != nil { return .isHarmless }
        guard isNegotiating || !hasCarrier(carrier.slot.index) else { return .isHarmless }
        switch link.state {
        case .inviting, .awaitingInvite: return isNegotiating ? .attemptFails : .isHarmless
        case .connecting:
            guard areDialsOver else { return .isHarmless }
            if case .carrierClosed = failure, let (lost, dialAt) = link.interrupted, lost == carrier.id {
                return .waitGoesOn(dialAt: dialAt)
            }
            return .attemptFails
        case .up, .verifying:
            switch link.renewal {
            case .connecting, .negotiating: return .renewalFails
            case .none, .due: return .isHarmless
            }
        case .down, .awaitingDecision: return .isHarmless
        }
    }

    /// The carriers on which the peer's PROOF or HELLO is overdue.
    func overdueCarriers(now: Instant) -> [CarrierEntry] { carriers.entries.filter { $0.overdueAt <= now } }
}
