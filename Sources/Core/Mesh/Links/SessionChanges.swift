import Primitives

/// How a session comes into use, wakes and ends, and how it follows the advance of a boot. The key ids of an ended
/// session are released.
extension Links {
    /// Makes the candidate of a peer its session in use, after the first echo over the candidate. The session before it
    /// still opens datagrams that are under way. Its carrier is closed, unless the new session uses that carrier too.
    mutating func promoteCandidate(of index: Int, _ effects: inout Effects, now: Instant) {
        guard let candidate = self[index].candidate else { return }
        if let former = self[index].session {
            effects.count(.sessionsReplaced)
            dropRetired(index)
            if let carrier = former.carrier, carrier != candidate.carrier { closeQuietly(carrier, &effects) }
        }
        self[index].replaceSession(retiredUntil: now + MeshLimits.retiredSessionLifetime)
    }

    /// Ends the session for good, and the retired session before it: releases their keys and closes the carrier.
    mutating func endSession(of index: Int, _ effects: inout Effects) {
        let session = self[index].takeSession()
        if let carrier = session?.carrier { closeQuietly(carrier, &effects) }
        releaseKeys(of: session)
        dropRetired(index)
        self[index].endRenewal()
    }

    /// - Returns: whether there was a candidate.
    mutating func dropCandidate(_ index: Int) -> Bool {
        guard let candidate = self[index].takeCandidate() else { return false }
        releaseKeys(of: candidate)
        return true
    }

    mutating func dropRetired(_ index: Int) { releaseKeys(of: self[index].takeRetired()) }

    private mutating func releaseKeys(of session: Session?) {
        for keyID in session?.keyIDs ?? [] { release(keyID) }
    }
}

extension PeerLink {
    /// Prepares a link that comes up again with its old session. If the attempt has a candidate already, the
    /// negotiation of the candidate goes on, as a renewal of the session's carrier.
    /// - Returns: whether a negotiation goes on.
    mutating func wake() -> Bool {
        refusals.inARow = 0
        guard let negotiation = state.negotiation, candidate != nil else { return false }
        renewal = .negotiating(negotiation)
        return true
    }

    /// Stores this node's new instance in the session and in the retired session, after this boot has advanced to it.
    func advance(own instance: Instance) {
        session?.advance(own: instance)
        retired?.session.advance(own: instance)
    }

    /// Stores the higher instance of a peer's boot in every session with that boot: also in the candidate, which would
    /// otherwise bring the old instance back when it becomes the session.
    /// - Returns: whether the session in use is with that boot and now has the higher instance.
    func advance(boot: BootNonce, to instance: Instance) -> Bool {
        func isLower(_ session: Session) -> Bool { session.bootNonce == boot && session.instance < instance }
        if let candidate, isLower(candidate) { candidate.advance(peer: instance) }
        guard let session, isLower(session) else { return false }
        session.advance(peer: instance)
        retired?.session.advance(peer: instance)
        return true
    }
}
