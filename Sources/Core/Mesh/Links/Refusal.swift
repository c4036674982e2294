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

extension RefusalReason {
    /// The wait after a DECLINE, which names no time.
    var retryAfter: Interval {
        switch self {
        case .alreadyLinked, .coolingDown: MeshLimits.refusalRetryShort
        case .undecided: MeshLimits.decisionRetry
        case .duplicateIdentity: MeshLimits.duplicateRetry
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .offLink: MeshLimits.refusalRetry
        case .blocked: MeshLimits.refusalRetryMax
        }
    }
}

extension Links {
    /// Sends a refusal: REFUSE as the leader, DECLINE as the follower. The carrier stays open: the caller decides
    /// about it.
    func refuse(_ line: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval, _ effects: inout Effects) {
        guard self[line.slot.index].isLeader else {
            effects.count(.refusalsSent)
            effects.send(.decline(reason), on: line.id)
            return
        }
        refuse(line.id, reason, retryAfter: retryAfter, &effects)
    }

    /// Sends REFUSE before any HELLO, and closes the carrier, which is not in the table yet.
    func turnAway(_ id: CarrierID, _ reason: RefusalReason, retryAfter: Interval, _ effects: inout Effects) {
        refuse(id, reason, retryAfter: retryAfter, &effects)
        effects.output(.carrierClose(id))
    }

    private func refuse(_ id: CarrierID, _ reason: RefusalReason, retryAfter: Interval, _ effects: inout Effects) {
        effects.count(.refusalsSent)
        effects.send(.refuse(reason, retryAfterMilliseconds: UInt32(clamping: retryAfter.milliseconds)), on: id)
    }
}
