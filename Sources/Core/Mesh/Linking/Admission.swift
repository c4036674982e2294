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
            counters.count(.ghostHellos)
            outputs.append(.event(.ghostDropped(record.node, record.instance)))
            return judgeGhost(record, on: line)
        }
        return judgeBoot(record, of: index, now: now)
    }

    /// A boot of a lower instance: too late, or rolled back. Where a higher one is up, two live.
    private mutating func judgeGhost(_ record: NodeRecord, on line: CarrierEntry) -> Verdict {
        let index = line.slot.index
        switch peers[index].state {
        // The very boot that is up, whose counter somebody has seen higher since: it has yet to raise it.
        case .up where peers[index].session?.bootNonce == record.bootNonce:
            return .refused(.staleInstance, retryAfter: MeshLimits.refusalRetryShort)
        case .up:
            noteDuplicate(of: index)
            return .refused(.duplicateIdentity, retryAfter: MeshLimits.duplicateRetry)
        case .verifying:
            return .refused(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            // Word of the higher one came after the own HELLO had left without it. The next brings it, and only by it
            // can a boot that was rolled back raise itself.
            guard line.peerRecordSent == roster[record.node]?.signed else {
                return .refused(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
            }
            return .refused(.staleInstance, retryAfter: MeshLimits.refusalRetry)
        }
    }

    /// Another boot, of the same instance or a higher one: nearly always a restart, and then it
    /// replaces the old one at once. But while the old one is up it may be a duplicate, started from a
    /// copied state folder, so the old one is asked for a sign of life first. If it gives one, the
    /// older stays.
    private mutating func judgeBoot(_ record: NodeRecord, of index: Int, now: Instant) -> Verdict {
        guard let session = peers[index].session, session.bootNonce != record.bootNonce
        else { return .admitted }
        switch peers[index].state {
        case .up:
            if let duplicateBoot = peers[index].duplicateBoot, duplicateBoot.bootNonce == record.bootNonce,
                let echoedAt = session.echoedAt, duplicateBoot.askedAt < echoedAt
            {
                noteDuplicate(of: index)
                return .refused(.duplicateIdentity, retryAfter: MeshLimits.duplicateRetry)
            }
            peers[index].duplicateBoot = DuplicateBoot(bootNonce: record.bootNonce, askedAt: now)
            startProbing(index, now: now)
            return .refused(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry)
        case .verifying:
            // A process that ended closed its carrier: that boot is over, whatever the paths say.
            if session.carrier == nil, session.instance < record.instance { return .admitted }
            return .refused(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined:
            return .admitted
        }
    }

    private mutating func noteDuplicate(of index: Int) {
        counters.count(.duplicateIdentities)
        outputs.append(.event(.duplicateIdentity(peers[index].node)))
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
        case .duplicateIdentity: MeshLimits.duplicateRetry
        case .otherMesh, .version, .staleInstance, .full, .notAllowed, .offLink: MeshLimits.refusalRetry
        case .blocked: MeshLimits.refusalRetryMax
        }
    }

    /// Says no on a carrier and closes it: REFUSE from the leader, DECLINE from the follower.
    mutating func refuse(_ line: CarrierEntry, _ reason: RefusalReason, retryAfter: Interval) {
        counters.count(.refusalsSent)
        if peers[line.slot.index].isLeader {
            send(.refuse(reason, retryAfterMilliseconds: UInt32(clamping: retryAfter.milliseconds)), on: line.id)
        } else {
            send(.decline(reason), on: line.id)
        }
    }
}
