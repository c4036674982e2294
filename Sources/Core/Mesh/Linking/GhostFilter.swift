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

    /// Word has come of another boot. Mostly the old one is gone; where it is up it is asked first, for
    /// it may be the only one that lives, with a counter that was rolled back.
    mutating func hear(of instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        if let session = peers[index].session, session.bootNonce != bootNonce {
            if case .up = peers[index].state { return startProbing(index, now: now) }
            // As in `judgeBoot`: a process that ended closed its carrier.
            if case .verifying = peers[index].state, session.carrier != nil { return }
        }
        registerInstance(instance, bootNonce, of: index, now: now)
    }

    /// A boot of `peer` proved itself: everything of an older one ends here and now.
    mutating func registerInstance(_ instance: Instance, _ bootNonce: BootNonce, of index: Int, now: Instant) {
        let isOther = { (session: Session) in
            return session.instance <= instance && session.bootNonce != bootNonce
        }
        if let candidate = peers[index].candidate, isOther(candidate) { endCandidate(index, now: now) }
        guard let session = peers[index].session, isOther(session) else {
            return relabel(index, boot: bootNonce, as: instance, now: now)
        }
        let reason: DownReason = session.instance < instance ? .newerInstance : .replaced
        if session.instance < instance { cutCooldown(index, now: now) }
        endSession(index, reason, dialAt: now, now: now)
    }

    /// The boot with which something was agreed is over, and with it whatever it still says on its carrier.
    private mutating func endCandidate(_ index: Int, now: Instant) {
        guard peers[index].candidate != nil else { return }
        closeCandidate(index)
        if peers[index].state.isLinked {
            guard peers[index].renewal.negotiation != nil else { return }
            peers[index].renewal = .none
            scheduleRenewal(index, now: now)
        } else if peers[index].state.negotiation != nil {
            // Boots may follow one another quickly; each of them is worth a dial, but not at once.
            let wait = cutCooldown(index, now: now) ? Interval.zero : MeshLimits.cooldownCutInterval
            setState(index, .ended(dialAt: now + wait))
        }
        deadlines.needsRefresh = true
    }

    /// Drops what was agreed, and closes its carrier where the session has another. Carriers that have not greeted may
    /// be the next boot's.
    mutating func closeCandidate(_ index: Int) {
        let carrier = peers[index].candidate?.carrier
        dropCandidate(index)
        if let carrier, carrier != peers[index].session?.carrier { closeQuietly(carrier) }
    }

    /// Ends a wait after failures, at most once in 2 s; false where it must go on.
    @discardableResult
    mutating func cutCooldown(_ index: Int, now: Instant) -> Bool {
        guard peers[index].backoff.cut(now: now) else { return false }
        counters.count(.cooldownsCut)
        return true
    }
}
