import Primitives
import Wire

/// A refusal of a carrier by either side, with the wait until the refused side may try again.
struct Refusal {
    let reason: RefusalReason
    let retryAfter: Interval

    init(_ reason: RefusalReason, retryAfter: Interval) {
        self.reason = reason
        self.retryAfter = retryAfter
    }
}

extension Refusal {
    /// A DECLINE, which names no time.
    init(declinedFor reason: RefusalReason) {
        self.init(reason, retryAfter: Refusal.wait(afterDecline: reason))
    }

    private static func wait(afterDecline reason: RefusalReason) -> Interval {
        switch reason {
        case .alreadyLinked, .coolingDown: MeshLimits.refusalRetryShort
        case .undecided: MeshLimits.decisionRetry
        case .duplicateIdentity: MeshLimits.duplicateRetry
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .offLink, .noProof, .wrongCode:
            MeshLimits.refusalRetry
        case .blocked: MeshLimits.refusalRetryMax
        }
    }
}

extension Links {
    /// Sends a refusal: REFUSE if this node is the leader, DECLINE if it is the follower. The carrier stays open; the
    /// caller decides whether to close it.
    func refuse(_ carrier: CarrierEntry, _ refusal: Refusal, _ effects: inout Effects) {
        guard self[carrier.slot.index].isLeader else {
            effects.count(.refusalsSent)
            effects.send(.decline(refusal.reason), on: carrier.id)
            return
        }
        refuse(carrier.id, refusal, &effects)
    }

    /// Sends REFUSE on a carrier on which no HELLO was sent, and closes the carrier. The carrier is not in the table of
    /// carriers.
    func refuseAndClose(_ id: CarrierID, _ refusal: Refusal, _ effects: inout Effects) {
        refuse(id, refusal, &effects)
        effects.output(.carrierClose(id))
    }

    func refuse(_ id: CarrierID, _ refusal: Refusal, _ effects: inout Effects) {
        effects.count(.refusalsSent)
        let milliseconds = UInt32(clamping: refusal.retryAfter.milliseconds)
        effects.send(.refuse(refusal.reason, retryAfterMilliseconds: milliseconds), on: id)
    }
}

/// The refusals between this node and one peer.
struct RefusalRecord {
    /// Number of refusals in a row, without a link between them.
    var inARow = 0
    /// Whether a refusal, by either side, has named a duplicate since the peer was last linked.
    var hasNamedDuplicate = false
}

extension PeerLink {
    mutating func forgetDuplicate() { refusals.hasNamedDuplicate = false }

    /// Returns the wait after a refusal by the peer: the wait in `refusal`, or a minimum if that is longer. If the peer
    /// is not linked, the minimum doubles with each refusal in a row, up to `MeshLimits.refusalRetry`. Without it,
    /// dials that are refused at once would use up the allowance for dials.
    mutating func waitAfter(_ refusal: Refusal) -> Interval {
        let first = refusal.reason == .alreadyLinked ? MeshLimits.refusalRetryShort : MeshLimits.refusalRetryFirst
        // The peer is linked, and only a carrier is missing. The minimum does not double, because the dials for a
        // renewal have an allowance of their own.
        guard !state.isLinked else { return max(refusal.retryAfter, first) }
        let doublings = min(refusals.inARow, MeshLimits.refusalDoublingsMax)
        refusals.inARow += 1
        return max(refusal.retryAfter, min(first * (1 << Int64(doublings)), MeshLimits.refusalRetry))
    }

    /// Returns the wait after a refusal because of a duplicate. The duplicate may live long, so the wait is longer
    /// from the second refusal on.
    mutating func waitForDuplicate() -> Interval {
        defer { refusals.hasNamedDuplicate = true }
        return refusals.hasNamedDuplicate ? MeshLimits.duplicateRetryMax : MeshLimits.duplicateRetry
    }
}

extension Links {
    /// Closes a carrier that either side has refused. Stores the reason as the last failure of the link, except
    /// `alreadyLinked`.
    /// - Returns: the wait until this node tries again.
    mutating func closeRefused(_ carrier: CarrierEntry, _ refusal: Refusal, _ effects: inout Effects) -> Interval {
        let index = carrier.slot.index
        let wait = refusal.reason == .duplicateIdentity ? self[index].waitForDuplicate() : refusal.retryAfter
        closeQuietly(carrier.id, &effects)
        if refusal.reason != .alreadyLinked { self[index].recordFailure(.refused(refusal.reason)) }
        return wait
    }

    /// Returns what the refusal of a closed carrier means for a peer that is not linked; nil if it changes nothing.
    /// - Parameter areDialsOver: whether no dial of the attempt is under way or planned.
    func eventAfterRefusal(
        of carrier: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval, areDialsOver: Bool, now: Instant
    ) -> LinkEvent? {
        let link = self[carrier.slot.index]
        let others = carriers.entries(of: carrier.slot)
        switch link.state {
        case .connecting:
            guard others.isEmpty, areDialsOver || reason != .alreadyLinked else { return nil }
            // A further refusal does not shorten the wait that this carrier interrupted.
            if let (lost, until) = link.interrupted, lost == carrier.id, until != .distantFuture {
                return .refused(dialAt: max(now + retryAfter, until))
            }
            return .refused(dialAt: now + retryAfter)
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            guard negotiation.carrier == carrier.id else { return nil }
            guard let other = others.last(where: { $0.greeting != nil }), !link.isLeader else {
                return .refused(dialAt: now + retryAfter)
            }
            return .awaits(LinkNegotiation(on: other.id, now: now))
        case .down(let dialAt):
            return dialAt < now + retryAfter ? .scheduled(dialAt: now + retryAfter) : nil
        case .awaitingDecision, .up, .verifying:
            return nil
        }
    }

    /// Lets the link wait for a person's decision.
    mutating func awaitDecision(_ index: Int, until: Instant, _ effects: inout Effects, now: Instant) {
        guard !self[index].state.isLinked else { return self[index].endRenewal() }
        makeReady(index, &effects, now: now)
        changeAttempt(index, .undecided(until: until), &effects)
    }
}
