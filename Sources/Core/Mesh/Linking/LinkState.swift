package import Primitives

/// Where the link with one peer stands.
///
///                 opening                invited (I lead)
///        down ───────────────► connecting ─────────────► inviting ─────┐
///         ▲  ◄── failed, refused ──┘ │  awaits (I follow)               │ echoed
///         │                          └──────────► awaitingInvite ──────┤
///         │ failed × 5                  undecided      │                ▼
///         ├──────► quarantined      awaitingDecision ◄─┘               up ◄──┐
///         │            │ opening          │                      doubted │   │ echoed
///         │            └─► connecting     └─► refused: down              ▼   │
///         └──────────────────────────── lost ───────────────────── verifying ┘
///
/// A session outlives `down`: its keys stay good, so an echo from any state makes the link `up`
/// again without a handshake. A carrier that is renewed while the link is up is no state of the
/// link: it is the peer's `Renewal`.
package enum LinkState: Hashable, Sendable {
    /// No link; the next attempt starts at `dialAt` (`.distantFuture`: nobody is sought).
    case down(dialAt: Instant)
    /// Dialling, or a carrier is open and the peer's HELLO has not come.
    case connecting(since: Instant)
    /// I lead and have sent INVITE.
    case inviting(LinkNegotiation)
    /// I follow, HELLOs are exchanged.
    case awaitingInvite(LinkNegotiation)
    /// A person decides, here or there; counts no failure.
    case awaitingDecision(until: Instant)
    /// Keys agreed, and my nonce came back within `MeshLimits.echoSilenceMax`.
    case up(since: Instant)
    case verifying(LinkVerification)
    /// Too many failures in a row; one trial at `until`.
    case quarantined(until: Instant)
}

/// HELLOs are exchanged over `carrier`; without a link at `deadline` the attempt has failed.
package struct LinkNegotiation: Hashable, Sendable {
    package var carrier: CarrierID
    package var deadline: Instant
    package init(carrier: CarrierID, deadline: Instant) {
        self.carrier = carrier
        self.deadline = deadline
    }

    /// The same, with time until `instant` at least.
    func lasting(until instant: Instant) -> LinkNegotiation {
        LinkNegotiation(carrier: carrier, deadline: max(deadline, instant))
    }
}

/// A link in doubt: probes go out, and it is down at `deadline` unless one comes back; later where this node has reason
/// to doubt itself (`verificationEnd`).
package struct LinkVerification: Hashable, Sendable {
    package var upSince: Instant
    package var since: Instant
    package var probesSent: Int
    package var nextProbeAt: Instant

    package init(upSince: Instant, since: Instant) {
        self.upSince = upSince
        self.since = since
        probesSent = 0
        nextProbeAt = since
    }

    package var deadline: Instant {
        since + MeshLimits.verificationMax
    }
}

package enum LinkEvent: Hashable, Sendable {
    /// A dial starts, or the peer's carrier has arrived.
    case opening(now: Instant)
    /// Somebody is sought: next attempt then. Cuts a quarantine short.
    case scheduled(dialAt: Instant)
    case invited(LinkNegotiation)
    case awaits(LinkNegotiation)
    case undecided(until: Instant)
    /// A refusal counts no failure.
    case refused(dialAt: Instant)
    case failed(LinkRetry)
    /// My nonce came back over some path of an agreed session.
    case echoed(now: Instant)
    /// Silence, or a carrier closed without LEAVE.
    case doubted(now: Instant)
    /// No probe came back.
    case lost(LinkRetry)
    /// Leave, block, newer instance, expired keys.
    case ended(dialAt: Instant)
}

/// What follows a failure.
package enum LinkRetry: Hashable, Sendable {
    case backoff(until: Instant)
    case quarantine(until: Instant)
}

extension LinkState {
    /// The state after `event`, or nil where the two cannot meet.
    package func next(_ event: LinkEvent) -> LinkState? {
        switch (self, event) {
        case (_, .ended(let dialAt)):
            .down(dialAt: dialAt)

        case (.down, .opening(let now)), (.quarantined, .opening(let now)), (.awaitingDecision, .opening(let now)):
            .connecting(since: now)
        case (.down, .scheduled(let dialAt)), (.quarantined, .scheduled(let dialAt)),
            (.awaitingDecision, .scheduled(let dialAt)):
            .down(dialAt: dialAt)

        case (.connecting, .invited(let negotiation)), (.inviting, .invited(let negotiation)),
            (.awaitingDecision, .invited(let negotiation)):
            .inviting(negotiation)
        case (.connecting, .awaits(let negotiation)), (.awaitingInvite, .awaits(let negotiation)),
            (.awaitingDecision, .awaits(let negotiation)):
            .awaitingInvite(negotiation)

        case (.connecting, .undecided(let until)), (.inviting, .undecided(let until)),
            (.awaitingInvite, .undecided(let until)), (.awaitingDecision, .undecided(let until)):
            .awaitingDecision(until: until)
        case (.connecting, .refused(let dialAt)), (.inviting, .refused(let dialAt)),
            (.awaitingInvite, .refused(let dialAt)), (.awaitingDecision, .refused(let dialAt)):
            .down(dialAt: dialAt)
        case (.connecting, .failed(let retry)), (.inviting, .failed(let retry)), (.awaitingInvite, .failed(let retry)):
            LinkState(after: retry)

        case (.up, .doubted(let now)):
            if case .up(let since) = self { .verifying(LinkVerification(upSince: since, since: now)) } else { nil }
        case (.verifying(let verification), .echoed):
            .up(since: verification.upSince)
        case (.verifying, .lost(let retry)):
            LinkState(after: retry)
        case (.up, .echoed):
            nil
        case (_, .echoed(let now)):
            .up(since: now)

        default:
            nil
        }
    }

    /// Moves on; an event that cannot happen in this state is a bug of the caller.
    package mutating func apply(_ event: LinkEvent) {
        guard let state = next(event) else { illegal("\(event)", in: "\(self)") }
        self = state
    }

    private init(after retry: LinkRetry) {
        switch retry {
        case .backoff(let until): self = .down(dialAt: until)
        case .quarantine(let until): self = .quarantined(until: until)
        }
    }
}

extension LinkState {
    /// Whether voice flows: up, or being verified.
    package var isLinked: Bool {
        switch self {
        case .up, .verifying: true
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined: false
        }
    }

    package var isUp: Bool {
        if case .up = self { true } else { false }
    }

    /// The carrier over which an attempt is being negotiated.
    package var negotiation: LinkNegotiation? {
        switch self {
        case .inviting(let negotiation), .awaitingInvite(let negotiation): negotiation
        case .down, .connecting, .awaitingDecision, .up, .verifying, .quarantined: nil
        }
    }

    package var upSince: Instant? {
        switch self {
        case .up(let since): since
        case .verifying(let verification): verification.upSince
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision, .quarantined: nil
        }
    }
}
