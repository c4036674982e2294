import Primitives
import Wire

/// Old boots: whatever carries an instance below the highest seen is rejected and counted.
///
/// Only what a node has signed or said in an authenticated HELLO raises the highest seen, so that
/// nobody can lock another out.
extension MeshNode {
    func isGhost(_ instance: Instance, of peer: NodeID) -> Bool {
        guard let seen = roster[peer]?.instanceSeen else { return false }
        return instance < seen
    }

    /// A boot of `peer` proved itself: everything of an older one ends here and now.
    mutating func meet(_ instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        let isOther = { (session: Session) in
            session.instance < instance || (session.instance == instance && session.bootNonce != bootNonce)
        }
        if let candidate = peers[index].candidate, isOther(candidate) { dropCandidate(index) }
        guard let session = peers[index].session, isOther(session) else { return }
        let reason: DownReason = session.instance < instance ? .newerInstance : .replaced
        if session.instance < instance { cutCooldown(index, now: now) }
        endSession(index, reason, dialAt: now, now: now)
    }

    /// Somebody has met a higher instance of this node than the one that runs: the counter was
    /// rolled back. Raising the own record past it belongs to membership and starts from here.
    mutating func noteRollBack(by peer: NodeID) {
        counters.count(.ownInstanceRolledBack)
        outputs.append(.event(.refused(peer, .staleInstance)))
    }

    /// A signed record of this node that this boot did not write: of a higher instance, or of
    /// another boot of the same. Whether that boot still lives, only a neighbour of it can tell: it
    /// refuses with `duplicateIdentity`.
    mutating func noteOwnRecord(_ record: NodeRecord, from peer: NodeID) {
        let isOtherBoot = record.instance == own.record.instance && record.bootNonce != own.record.bootNonce
        if own.record.instance < record.instance || isOtherBoot { noteRollBack(by: peer) }
    }

    /// Ends a wait after failures, at most once in 2 s; false where it must go on.
    @discardableResult
    mutating func cutCooldown(_ index: Int, now: Instant) -> Bool {
        guard peers[index].backoff.cut(now: now) else { return false }
        counters.count(.cooldownsCut)
        return true
    }
}
