package import Primitives

/// State of the link with one peer.
///
///              opening              invited (leader)
///     down ──────────────► connecting ─────────────► inviting ───────┐ echoed
///                            │    │ awaits (follower)                ▼
///                            │    └────────────► awaitingInvite ───► up ◄──┐
///                            │ undecided                     doubted │     │ echoed
///                            ▼                                       ▼     │
///                     awaitingDecision                              verifying
///
/// The other changes, by the state before:
///
///     connecting, inviting, awaitingInvite, verifying ──── failed, lost ─────► down
///     connecting, inviting, awaitingInvite, awaitingDecision ── refused ─────► down
///     inviting, awaitingInvite ─────────────────────────────── undecided ────► awaitingDecision
///     awaitingDecision ──────────────────────── invited, awaits, opening ────► inviting, awaitingInvite, connecting
///     awaitingDecision ─────────────────────────────────────── scheduled ────► down
///     every state but up ───────────────────────────────────── echoed ───────► up
///     every state ──────────────────────────────────────────── ended ────────► down
///
/// The events `scheduled`, `invited`, `awaits` and `undecided` may also come again in the state to which they lead.
/// Then only the instant or the carrier in the state changes.
///
/// A session outlives the loss of its link: its keys stay good, so an echo makes the link `up` again from any state,
/// without a handshake. The renewal of the carrier of a link that is up is no part of this state; see `CarrierRenewal`.
package enum LinkState: Hashable, Sendable {
    /// No link. The next attempt starts at `dialAt`; `.distantFuture` means that none is scheduled.
    case down(dialAt: Instant)
    /// This node dials, or a carrier is open and the peer's HELLO has not come.
    case connecting(since: Instant)
    /// This node is the leader and has sent INVITE. The state stays until the first echo, even after ACCEPT has come.
    case inviting(LinkNegotiation)
    /// This node is the follower, and HELLOs are exchanged. The state stays until the first echo, even after this
    /// node has answered INVITE.
    case awaitingInvite(LinkNegotiation)
    /// A person at one of the two nodes has to decide about the link. The wait does not count as a failure.
    case awaitingDecision(until: Instant)
    /// Keys are agreed, and the peer echoes this node's control blocks in time.
    case up(since: Instant)
    case verifying(LinkVerification)
}

package enum LinkEvent: Hashable, Sendable {
    /// A dial starts, the peer has opened a carrier, or a dial to an address without a NodeID has reached the peer.
    case opening(now: Instant)
    /// The peer is wanted: the next attempt starts at `dialAt`.
    case scheduled(dialAt: Instant)
    case invited(LinkNegotiation)
    case awaits(LinkNegotiation)
    case undecided(until: Instant)
    /// The peer or this node refused the carrier. This does not count as a failure.
    case refused(dialAt: Instant)
    case failed(dialAt: Instant)
    /// The peer has echoed a control block over a path of an agreed session.
    case echoed(now: Instant)
    /// Something casts doubt on the link: silence, a carrier that closed without LEAVE, the loss of the path that
    /// carried the voice, a sign of another boot, or a probe of a peer that verifies the link.
    case doubted(now: Instant)
    /// No probe was echoed in time.
    case lost(dialAt: Instant)
    /// The session or the attempt ends, for example because the peer left, was blocked or has restarted, because the
    /// keys expired, because this node advanced its instance, or because the peer is no longer wanted.
    case ended(dialAt: Instant)
}

extension LinkState {
    /// Returns the state after `event`, or nil if `event` cannot happen in this state.
    package func next(_ event: LinkEvent) -> LinkState? {
        switch (self, event) {
        case (_, .ended(let dialAt)):
            .down(dialAt: dialAt)

        case (.down, .opening(let now)), (.awaitingDecision, .opening(let now)):
            .connecting(since: now)
        case (.down, .scheduled(let dialAt)), (.awaitingDecision, .scheduled(let dialAt)):
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
        case (.connecting, .failed(let dialAt)), (.inviting, .failed(let dialAt)),
            (.awaitingInvite, .failed(let dialAt)):
            .down(dialAt: dialAt)

        case (.up, .doubted(let now)):
            if case .up(let since) = self { .verifying(LinkVerification(upSince: since, since: now)) } else { nil }
        case (.verifying(let verification), .echoed):
            .up(since: verification.upSince)
        case (.verifying, .lost(let dialAt)):
            .down(dialAt: dialAt)
        case (.up, .echoed):
            nil
        case (_, .echoed(let now)):
            .up(since: now)

        default:
            nil
        }
    }

    /// Changes to the state after `event`. Traps if `event` cannot happen in this state: that is a bug of the caller.
    package mutating func apply(_ event: LinkEvent) {
        guard let state = next(event) else { illegal("\(event)", in: "\(self)") }
        self = state
    }

    /// Extends the negotiation of the present attempt to at least `instant`.
    mutating func extendNegotiation(until instant: Instant) {
        switch self {
        case .inviting(let negotiation): self = .inviting(negotiation.lasting(until: instant))
        case .awaitingInvite(let negotiation): self = .awaitingInvite(negotiation.lasting(until: instant))
        case .down, .connecting, .awaitingDecision, .up, .verifying: break
        }
    }

    /// Changes the verification of the link, if there is one.
    mutating func changeVerification(_ body: (inout LinkVerification) -> Void) {
        guard case .verifying(var verification) = self else { return }
        body(&verification)
        self = .verifying(verification)
    }
}

extension LinkState {
    /// Whether datagrams with voice are sent to the peer and taken from it: the link is up or in verification. Voice on
    /// a channel is sent only after the peer has advertised that it listens to that channel.
    package var isLinked: Bool {
        switch self {
        case .up, .verifying: true
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision: false
        }
    }

    package var isUp: Bool {
        if case .up = self { true } else { false }
    }

    var isDown: Bool {
        if case .down = self { true } else { false }
    }

    var awaitsDecision: Bool {
        if case .awaitingDecision = self { true } else { false }
    }

    /// When the next step of this state is due; `.distantFuture` if time alone changes nothing.
    var dueAt: Instant {
        switch self {
        case .down(let at), .awaitingDecision(let at): at
        case .connecting(let since): since + MeshLimits.helloWaitMax
        case .inviting(let negotiation), .awaitingInvite(let negotiation): negotiation.deadline
        case .verifying(let verification): verification.nextProbeAt
        case .up: .distantFuture
        }
    }

    /// The negotiation of the present attempt; nil if there is none.
    package var negotiation: LinkNegotiation? {
        switch self {
        case .inviting(let negotiation), .awaitingInvite(let negotiation): negotiation
        case .down, .connecting, .awaitingDecision, .up, .verifying: nil
        }
    }

    package var upSince: Instant? {
        switch self {
        case .up(let since): since
        case .verifying(let verification): verification.upSince
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision: nil
        }
    }
}

/// The negotiation of a session over `carrier`, after the HELLOs. If the first echo has not come by `deadline`, the
/// attempt or the renewal has failed.
package struct LinkNegotiation: Hashable, Sendable {
    package var carrier: CarrierID
    package var deadline: Instant
    package init(carrier: CarrierID, deadline: Instant) {
        self.carrier = carrier
        self.deadline = deadline
    }

    /// A negotiation that begins now.
    init(on carrier: CarrierID, now: Instant) {
        self.init(carrier: carrier, deadline: now + MeshLimits.negotiationMax)
    }

    /// Returns this negotiation with its deadline moved to `instant`, or unchanged if its deadline is later.
    func lasting(until instant: Instant) -> LinkNegotiation {
        LinkNegotiation(carrier: carrier, deadline: max(deadline, instant))
    }
}

/// A link in verification: this node sends probes. If no echo comes, the link goes down after
/// `MeshLimits.verificationMax`, or later if there are signs that this node itself is at fault.
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

    /// Schedules the next probe: the first ones follow one another quickly.
    mutating func probeSent(random: inout SeededRandom, now: Instant) {
        probesSent += 1
        let isQuick = probesSent < MeshLimits.probesQuickMax
        nextProbeAt = now + (isQuick ? MeshLimits.probeInterval : random.interval(in: MeshLimits.probeSlowInterval))
    }

    /// Lengthens the verification because of an absence of this node that ends now: meanwhile it could not receive an
    /// echo.
    mutating func forgive(_ absence: Absence, now: Instant) { since = absence.forgive(since, now: now) }
}
