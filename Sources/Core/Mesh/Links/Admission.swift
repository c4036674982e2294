import Primitives
import Trust
import Wire

/// Admission: checks on a HELLO, the cheap and certain ones first.
extension MeshNode {
    enum Verdict {
        case admitted
        case refused(RefusalReason, retryAfter: Interval)
    }

    /// Judges a verified HELLO. The policy about invitations is checked later.
    mutating func admit(_ hello: Hello, _ record: NodeRecord, on line: CarrierEntry, now: Instant) -> Verdict {
        let index = line.slot.index
        guard hello.mesh == configuration.mesh else {
            return .refused(.otherMesh, retryAfter: MeshLimits.refusalRetry)
        }
        guard hello.versionMin <= WireLimits.version, WireLimits.version <= hello.versionMax else {
            return .refused(.version, retryAfter: MeshLimits.refusalRetry)
        }
        if isBlocked(record.node) {
            return .refused(.blocked, retryAfter: MeshLimits.refusalRetryMax)
        }
        if isGhost(record.instance, of: record.node) {
            effects.count(.ghostHellos)
            effects.report(.ghostDropped(record.node, record.instance))
            return judgeGhost(record, on: line)
        }
        return judgeBoot(record, of: index, now: now)
    }

    /// Judges a boot with an instance below the highest seen: it is old, or its counter was rolled back. While
    /// another boot is up, two boots live.
    private mutating func judgeGhost(_ record: NodeRecord, on line: CarrierEntry) -> Verdict {
        let index = line.slot.index
        switch links[index].state {
        // This is the boot that is up. Somebody has seen a higher instance of it since, and this boot has yet to
        // advance.
        case .up where links[index].session?.bootNonce == record.bootNonce:
            return .refused(.staleInstance, retryAfter: MeshLimits.refusalRetryShort)
        case .up:
            countDuplicate(of: index)
            return .refused(.duplicateIdentity, retryAfter: MeshLimits.duplicateRetry)
        case .verifying:
            return .refused(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            // The record with the higher instance came here after this node's HELLO had left. The next HELLO brings
            // that record to the peer, and a rolled-back boot can advance only with it.
            guard line.peerRecordSent == membership.roster[record.node]?.signed else {
                return .refused(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
            }
            return .refused(.staleInstance, retryAfter: MeshLimits.refusalRetry)
        }
    }

    /// Judges another boot, of the same instance or a higher one. Nearly always the peer has restarted, and the new
    /// boot replaces the old one at once. But while the old boot is up, the new one may be a duplicate, started from
    /// a copied state folder. So this node first probes the old boot. If the old boot echoes, it stays, and the new
    /// one is refused.
    private mutating func judgeBoot(_ record: NodeRecord, of index: Int, now: Instant) -> Verdict {
        guard let session = links[index].session, session.bootNonce != record.bootNonce
        else { return .admitted }
        switch links[index].state {
        case .up:
            if let duplicateBoot = links[index].duplicateBoot, duplicateBoot.bootNonce == record.bootNonce,
                let echoedAt = paths[index].session?.echoedAt, duplicateBoot.askedAt < echoedAt
            {
                countDuplicate(of: index)
                return .refused(.duplicateIdentity, retryAfter: MeshLimits.duplicateRetry)
            }
            links[index].duplicateBoot = DuplicateBoot(bootNonce: record.bootNonce, askedAt: now)
            startProbing(index, now: now)
            return .refused(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry)
        case .verifying:
            // A process that ends closes its carrier: without a carrier, an old boot of a lower instance is over,
            // whatever the paths show.
            if session.carrier == nil, session.instance < record.instance { return .admitted }
            return .refused(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            return .admitted
        }
    }

    private mutating func countDuplicate(of index: Int) {
        effects.count(.duplicateIdentities)
        effects.report(.duplicateIdentity(links[index].node))
    }

    enum Invitation {
        case allowed
        case undecided
        case forbidden
    }

    /// Returns what the configuration, or the person, has decided about links with `peer`.
    func invitation(for peer: NodeID) -> Invitation {
        switch configuration.invitations {
        case .open: .allowed
        case .ask(let known):
            if let index = links.index(of: peer), links[index].refusedByPerson {
                .forbidden
            } else {
                known.contains(peer) ? .allowed : .undecided
            }
        case .allowList(let allowed): allowed.contains(peer) ? .allowed : .forbidden
        }
    }

    func isBlocked(_ peer: NodeID) -> Bool { configuration.blocked.contains(peer) }

    /// Returns the wait after a DECLINE, which names no time.
    static func retryAfter(_ reason: RefusalReason) -> Interval {
        switch reason {
        case .alreadyLinked, .coolingDown: MeshLimits.refusalRetryShort
        case .undecided: MeshLimits.decisionRetry
        case .duplicateIdentity: MeshLimits.duplicateRetry
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .offLink: MeshLimits.refusalRetry
        case .blocked: MeshLimits.refusalRetryMax
        }
    }

    /// Sends a refusal: REFUSE as the leader, DECLINE as the follower. The carrier stays open: the caller decides
    /// about it.
    mutating func refuse(_ line: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval) {
        effects.count(.refusalsSent)
        if links[line.slot.index].isLeader {
            effects.send(
                .refuse(reason, retryAfterMilliseconds: UInt32(clamping: retryAfter.milliseconds)), on: line.id)
        } else {
            effects.send(.decline(reason), on: line.id)
        }
    }
}
