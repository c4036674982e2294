import Primitives
import Wire

/// The link states of one peer: those in use, and later ones that wait.
///
///     came on the session's carrier ───── within the allowance ──────────────► links (in use)
///                     └───── above it ───► deferred (the newest) ── readAt ──────►│
///     came with the candidate ───────────► beforeEcho ────────── first echo ──────►│
///
struct NeighbourLinkStates {
    /// The link states in use.
    private(set) var links: [AdvertisedLink] = []
    /// The digest of the peer and its link partners in `links`; nil before the first link states of the session.
    private(set) var digest: UInt64?
    /// Link states that came with a session before its first echo. The peer is already up and does not send them
    /// again.
    private(set) var beforeEcho: [AdvertisedLink]?
    /// The newest link states above the allowance.
    private(set) var deferred: DeferredLinkStates?
    /// Link states of the peer, whole or as changes, that this node uses.
    private var allowance: TokenBucket

    init(allowance: TokenBucket) { self.allowance = allowance }

    var readAt: Instant { deferred?.readAt ?? .distantFuture }

    /// Returns the link states if this node uses them now.
    /// - Parameter role: the session on whose carrier they came; nil where the carrier belongs to none.
    mutating func receive(
        _ states: [AdvertisedLink], in role: SessionRole?, _ effects: inout Effects, now: Instant
    ) -> [AdvertisedLink]? {
        switch role {
        case .current: return admit(states, &effects, now: now)
        case .candidate: beforeEcho = states
        case .retired, nil: effects.count(.linkStatesUnexpected)
        }
        return nil
    }

    /// Returns the link states after these changes if this node uses them now. Changes need link states before them.
    mutating func receive(
        _ changes: [LinkChange], in role: SessionRole?, _ effects: inout Effects, now: Instant
    ) -> [AdvertisedLink]? {
        switch role {
        case .current:
            let known = digest == nil ? nil : links
            if let last = deferred?.links ?? known { return admit(last.changed(by: changes), &effects, now: now) }
            effects.count(.linkChangesUnfounded)
        case .candidate: beforeEcho = beforeEcho?.changed(by: changes)
        case .retired, nil: effects.count(.linkStatesUnexpected)
        }
        return nil
    }

    /// Admits link states within the peer's allowance. Beyond it, keeps only the newest ones and reads them later:
    /// the sender does not repeat link states, so dropped ones would stay missing.
    private mutating func admit(
        _ states: [AdvertisedLink], _ effects: inout Effects, now: Instant
    ) -> [AdvertisedLink]? {
        guard allowance.take(now: now) else {
            effects.count(.linkStatesOverRate)
            let readAt = deferred?.readAt ?? now + MeshLimits.linkStatesAcceptedInterval
            deferred = DeferredLinkStates(links: states, readAt: readAt)
            effects.invalidateDeadlines()
            return nil
        }
        deferred = nil
        return states
    }

    mutating func readLate(_ effects: inout Effects, now: Instant) -> [AdvertisedLink]? {
        guard let unread = deferred else { return nil }
        deferred = nil
        return admit(unread.links, &effects, now: now)
    }

    /// Returns the link states that came before the echo, and forgets them: the session has taken over now.
    mutating func removeBeforeEcho() -> [AdvertisedLink]? { beforeEcho.take() }

    mutating func use(_ states: [AdvertisedLink], of node: NodeID) {
        links = states
        digest = CliqueState.digest(of: states.map(\.peer) + [node])
    }

    /// Forgets the link states that wait: another session takes over.
    mutating func beginSession() { deferred = nil }

    mutating func dropCandidate() { beforeEcho = nil }

    mutating func endSession() { (links, digest, deferred) = ([], nil, nil) }
}

/// The newest link states of a peer that has sent more than its allowance, and when this node reads them.
struct DeferredLinkStates {
    private(set) var links: [AdvertisedLink]
    private(set) var readAt: Instant
}

extension [AdvertisedLink] {
    /// Returns the link states after the sender's changes, at most `WireLimits.linkStatesMax` entries.
    fileprivate func changed(by changes: [LinkChange]) -> [AdvertisedLink] {
        Array(applying(changes).prefix(WireLimits.linkStatesMax))
    }
}
