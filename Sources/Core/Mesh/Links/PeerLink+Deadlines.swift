import Primitives

/// The waits of one link.
extension PeerLink {
    /// Considers every wait of this link except the end of a verification, which depends on this node's own health.
    /// - Parameter isFailing: whether failures of the peer are counted, so that a stable link has some to forget.
    // Mutating, because it runs after every packet: the peer is read in place and not copied.
    mutating func considerWaits(_ earliest: inout EarliestDeadline, isFailing: Bool) {
        considerState(&earliest, isFailing: isFailing)
        earliest.consider(keysExpireAt, .keyExpiry)
        earliest.consider(rekeyAt, .rekey)
        earliest.consider(retiredUntil, .keyExpiry)
        earliest.consider(renewal.deadline, .carrier)
    }

    private mutating func considerState(_ earliest: inout EarliestDeadline, isFailing: Bool) {
        switch state {
        case .down, .awaitingDecision: earliest.consider(state.dueAt, .retry)
        case .connecting, .inviting, .awaitingInvite: earliest.consider(state.dueAt, .handshake)
        case .up: if isFailing { earliest.consider(stableAt, .stability) }
        case .verifying: earliest.consider(state.dueAt, .probe)
        }
    }

    /// When the link will have been up for `MeshLimits.stableAfter`, so that earlier failures of the peer are
    /// forgotten; `.distantFuture` while the link has no carrier.
    var stableAt: Instant {
        guard case .up(let since) = state, session?.carrier != nil else { return .distantFuture }
        return since + MeshLimits.stableAfter
    }

    var keysExpireAt: Instant { session?.keysExpireAt ?? .distantFuture }
    var rekeyAt: Instant { session?.rekeyAt(isLeader: isLeader) ?? .distantFuture }
    var retiredUntil: Instant { retired?.until ?? .distantFuture }
}
