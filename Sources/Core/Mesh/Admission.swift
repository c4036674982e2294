import Primitives
import Trust
import Wire

/// Who may come in: checks on a HELLO, in the order in which they are cheap and certain.
extension MeshNode {
    enum Verdict {
        case admitted
        case refused(RefusalReason, retryAfter: Interval)
    }

    /// Judges what a verified HELLO says; the policy about invitations comes later.
    mutating func admit(_ hello: Hello, _ record: NodeRecord, to index: Int, now: Instant) -> Verdict {
        guard hello.mesh == configuration.mesh else { return .refused(.otherMesh, retryAfter: MeshLimits.refusalRetry) }
        guard hello.versionMin <= WireLimits.version, WireLimits.version <= hello.versionMax else {
            return .refused(.version, retryAfter: MeshLimits.refusalRetry)
        }
        if isBlocked(record.node) { return .refused(.blocked, retryAfter: MeshLimits.refusalRetryMax) }
        if isGhost(record.instance, of: record.node) {
            counters.count(.ghostHellos)
            outputs.append(.event(.ghostDropped(record.node, record.instance)))
            return .refused(.staleInstance, retryAfter: MeshLimits.refusalRetry)
        }
        return judgeBoot(record, of: index, now: now)
    }

    /// A second boot under one instance: a twin while the older boot lives, a replacement after.
    private mutating func judgeBoot(_ record: NodeRecord, of index: Int, now: Instant) -> Verdict {
        guard let session = peers[index].session, session.instance == record.instance,
            session.bootNonce != record.bootNonce
        else { return .admitted }
        switch peers[index].state {
        case .up:
            counters.count(.duplicateIdentities)
            outputs.append(.event(.duplicateIdentity(record.node)))
            return .refused(.duplicateIdentity, retryAfter: MeshLimits.refusalRetry)
        case .verifying:
            // Whether the older boot lives is being found out.
            return .refused(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            return .admitted
        }
    }

    enum Invitation {
        case allowed
        case undecided
        case forbidden
    }

    /// What the person has decided about links with `peer`.
    func invitation(for peer: NodeID) -> Invitation {
        switch configuration.invitations {
        case .open: .allowed
        case .ask(let known):
            if let index = peers.index(of: peer), peers[index].refusedByPerson {
                .forbidden
            } else {
                known.contains(peer) ? .allowed : .undecided
            }
        case .allowList(let allowed): allowed.contains(peer) ? .allowed : .forbidden
        }
    }

    func isBlocked(_ peer: NodeID) -> Bool { configuration.blocked.contains(peer) }

    /// What a DECLINE, which names no time, is worth.
    static func retryAfter(_ reason: RefusalReason) -> Interval {
        switch reason {
        case .alreadyLinked, .coolingDown: MeshLimits.refusalRetryShort
        case .undecided: MeshLimits.decisionRetry
        case .otherMesh, .version, .staleInstance, .duplicateIdentity, .full, .notAllowed: MeshLimits.refusalRetry
        case .blocked: MeshLimits.refusalRetryMax
        }
    }

    /// Says no on a carrier and closes it: REFUSE from the leader, DECLINE from the follower.
    mutating func refuse(_ line: CarrierLine, _ reason: RefusalReason, retryAfter: Interval) {
        counters.count(.refusalsSent)
        if peers[line.slot.index].isLeader {
            send(.refuse(reason, retryAfterMilliseconds: UInt32(clamping: retryAfter.milliseconds)), on: line.id)
        } else {
            send(.decline(reason), on: line.id)
        }
    }
}
