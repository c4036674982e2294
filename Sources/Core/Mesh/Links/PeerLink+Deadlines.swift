import Primitives

/// The waits of one link.
extension PeerLink {
    /// Considers every wait of this link except the end of a verification, which depends on this node's own health.
    /// - Parameter isFailing: whether failures of the peer are counted, so that a stable link has some to forget.
    // Mutating, because it runs after every packet: the peer is read in place and not copied.
    mutating func considerWaits(_ earliest: inout EarliestDeadline, isFailing: Bool) {
        considerState(&earliest, isFailing: isFailing)
        earliest.consider(keysExpireAt, .keyExpiry)
        earliest.consider(offerAgainAt, .rekey)
        earliest.consider(retiredUntil, .keyExpiry)
        earliest.consider(renewal.deadline, .carrier)
    }

    private mutating func considerState(_ earliest: inout EarliestDeadline, isFailing: Bool) {
        switch state {
        case .down(let dialAt): earliest.consider(dialAt, .retry)
        case .connecting(let since): earliest.consider(since + MeshLimits.helloWaitMax, .handshake)
        case .inviting(let negotiation), .awaitingInvite(let negotiation):
            earliest.consider(negotiation.deadline, .handshake)
        case .awaitingDecision(let until): earliest.consider(until, .retry)
        case .up(let since):
            guard let session else { return }
            if isFailing, session.carrier != nil { earliest.consider(since + MeshLimits.stableAfter, .stability) }
        case .verifying(let verification): earliest.consider(verification.nextProbeAt, .probe)
        }
    }

    var keysExpireAt: Instant { mutating get { session?.keysExpireAt ?? .distantFuture } }
    var offerAgainAt: Instant { mutating get { session?.offerAgainAt ?? .distantFuture } }
    var retiredUntil: Instant { mutating get { retired?.until ?? .distantFuture } }
}
