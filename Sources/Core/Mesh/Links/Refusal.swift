import Primitives
import Wire

/// A refusal of a carrier, with the wait until the peer may try again.
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
    func turnAway(_ id: CarrierID, _ refusal: Refusal, _ effects: inout Effects) {
        refuse(id, refusal, &effects)
        effects.output(.carrierClose(id))
    }

    func refuse(_ id: CarrierID, _ refusal: Refusal, _ effects: inout Effects) {
        effects.count(.refusalsSent)
        let milliseconds = UInt32(clamping: refusal.retryAfter.milliseconds)
        effects.send(.refuse(refusal.reason, retryAfterMilliseconds: milliseconds), on: id)
    }
}
