package import Primitives
import Trust
import Wire

/// The link with one peer: its state, its sessions, and how it has fared.
package struct PeerLink {
    package let node: NodeID
    package let slot: PeerSlot
    /// Whether this node leads the pair: the greater NodeID invites.
    package let isLeader: Bool

    /// The kind of the state changes only by `apply`.
    package private(set) var state = LinkState.down(dialAt: .distantFuture)
    /// The session in use: agreed, and proved by the echo of a control block. While the link is neither up nor
    /// verifying, the session sleeps; an echo wakes it.
    private(set) var session: Session?
    /// A session that was offered or agreed, and that no echo of a control block has proved yet. The first echo makes
    /// it `session`.
    private(set) var candidate: Session?
    /// The session that was in use before the present one. It still opens datagrams that are under way.
    private(set) var retired: RetiredSession?
    var renewalCourse = RenewalCourse()

    /// Number of this node's last invitation to the peer, as its leader.
    package var attempt: UInt32 = 0
    private var allowances: PeerAllowances
    /// Another boot of the peer, which connects while the link with a first boot is up.
    var duplicateBoot: DuplicateBoot?
    /// The wait for the next attempt that an opened carrier interrupted. It goes on if that carrier closes before the
    /// peer's HELLO.
    var interrupted: (by: CarrierID, dialAt: Instant)?
    var refusals = RefusalRecord()
    private var history = LinkHistory()

    package init(node: NodeID, slot: PeerSlot, isLeader: Bool, _ capacity: MeshCapacity) {
        self.node = node
        self.slot = slot
        self.isLeader = isLeader
        allowances = PeerAllowances(capacity)
    }

    /// Changes the state. Traps if `event` cannot happen in it.
    mutating func apply(_ event: LinkEvent) {
        state.apply(event)
        if !state.isLinked { history.isStale = false }
    }

    mutating func makeStale() { history.isStale = true }

    /// Ends the staleness: an echo has come.
    mutating func refresh() { history.isStale = false }

    /// Takes a token of the peer's allowance for comparisons of words.
    mutating func admitComparison(now: Instant) -> Bool { allowances.comparisons.take(now: now) }

    /// Ends the question about the peer to the person at this node: the person has answered, or no answer is needed,
    /// because the peer is blocked or no member any more, or because the policy has changed.
    mutating func endQuestion() { history.askedAt = nil }

    /// Begins to wait for a decision about the peer. Returns false if this node waits already.
    mutating func beginQuestion(now: Instant) -> Bool {
        guard askedAt == nil else { return false }
        history.askedAt = now
        return true
    }

    /// Takes a token of the peer's allowance for invitations and key offers.
    mutating func admitAgreement(now: Instant) -> Bool { allowances.agreements.take(now: now) }

    /// Takes a token of the peer's allowance for EPOCH frames.
    mutating func admitEpoch(now: Instant) -> Bool { allowances.epochs.take(now: now) }
}

// MARK: Sessions

extension PeerLink {
    mutating func open(candidate session: Session) {
        precondition(candidate == nil, "the candidate before this one holds key ids")
        candidate = session
    }

    /// Makes the candidate the session, after its first echo. The session before it still opens datagrams until
    /// `retiredUntil`.
    mutating func replaceSession(retiredUntil: Instant) {
        if let session { retired = RetiredSession(session: session, until: retiredUntil) }
        session = candidate
        candidate = nil
        history.isStale = false
        renewal = .none
        refusals.inARow = 0
    }

    /// Removes the session. The caller releases its key ids.
    mutating func takeSession() -> Session? {
        defer { session = nil }
        return session
    }

    /// Removes the candidate. The caller releases its key ids.
    mutating func takeCandidate() -> Session? {
        defer { candidate = nil }
        return candidate
    }

    /// Removes the retired session. The caller releases its key ids.
    mutating func takeRetired() -> Session? {
        defer { retired = nil }
        return retired?.session
    }

    /// Returns the session under which this node answers a datagram of the session with this role. For a retired one,
    /// that is the session in use: a retired session only opens datagrams.
    func session(in role: SessionRole) -> Session? { role == .candidate ? candidate : session }

    /// Returns the role of the session that uses this carrier: in use, or candidate. Returns nil if neither uses it.
    func role(of carrier: CarrierID) -> SessionRole? {
        if session?.carrier == carrier { return .current }
        return candidate?.carrier == carrier ? .candidate : nil
    }
}

struct RetiredSession {
    let session: Session
    let until: Instant
}

// MARK: State

extension PeerLink {
    /// Extends the negotiation of the attempt, and that of the renewal, to at least `instant`.
    mutating func extendNegotiation(until instant: Instant) {
        if case .negotiating(let negotiation) = renewal { renewal = .negotiating(negotiation.lasting(until: instant)) }
        state.extendNegotiation(until: instant)
    }

    /// Schedules the next probe of a link in verification, after one was sent.
    mutating func probeSent(random: inout SeededRandom, now: Instant) {
        state.changeVerification { $0.probeSent(random: &random, now: now) }
    }

    /// Lengthens a verification because of an absence of this node that ends now.
    mutating func forgive(_ absence: Absence, now: Instant) {
        state.changeVerification { $0.forgive(absence, now: now) }
    }

    package internal(set) var renewal: CarrierRenewal {
        get { renewalCourse.state }
        set { renewalCourse.state = newValue }
    }
}

// MARK: History

/// The history of the link since the peer got its slot: whether the link was ever up, whether it still lacks an echo
/// after a long absence of this node (stale), its last failure, the question to the person at this node, and the words
/// that both persons compare.
private struct LinkHistory {
    var hasBeenUp = false
    var isStale = false
    var lastFailure: LinkFailure?
    /// Since when the decision of the person at this node is awaited; nil if it is not.
    var askedAt: Instant?
    /// The words that both persons compare.
    var comparison = WordComparison()
}

/// How often the peer may begin an exchange that costs this node work, or a person attention.
private struct PeerAllowances {
    /// For invitations and key offers that this node answers.
    var agreements: TokenBucket
    var comparisons = TokenBucket(
        burst: MeshLimits.comparisonsBurst, interval: MeshLimits.comparisonInterval, now: .zero)
    /// EPOCH frames that this node judges.
    var epochs = TokenBucket(burst: MeshLimits.epochsBurst, interval: MeshLimits.epochInterval, now: .zero)

    init(_ capacity: MeshCapacity) {
        agreements = TokenBucket(burst: capacity.agreementsBurst, interval: MeshLimits.agreementInterval, now: .zero)
    }
}

extension PeerLink {
    /// Whether the link has been up since the peer got this slot.
    var hasBeenUp: Bool { history.hasBeenUp }
    /// Whether this node was absent for so long that others may have taken the peer for dead, and no echo has come
    /// since. Until then this node tells others neither of the link nor that the peer was seen, sends the peer no news
    /// of records and views, and does not judge other peers by the peer's link states. The voice goes on. As with the
    /// stale routes of a router that restarts (RFC 4724).
    var isStale: Bool { history.isStale }
    package var lastFailure: LinkFailure? { history.lastFailure }
    /// Since when the decision of the person at this node is awaited; nil if it is not.
    var askedAt: Instant? { history.askedAt }
    var comparison: WordComparison {
        get { history.comparison }
        set { history.comparison = newValue }
    }

    mutating func recordFailure(_ failure: LinkFailure) { history.lastFailure = failure }

    mutating func forgetFailure() { history.lastFailure = nil }

    mutating func recordLinkUp() {
        history.askedAt = nil
        history.hasBeenUp = true
        history.lastFailure = nil
    }
}

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
    /// forgotten; `.distantFuture` while the link is not up or has no carrier.
    var stableAt: Instant {
        guard case .up(let since) = state, session?.carrier != nil else { return .distantFuture }
        return since + MeshLimits.stableAfter
    }

    var keysExpireAt: Instant { session?.keysExpireAt ?? .distantFuture }
    var rekeyAt: Instant { session?.rekeyAt(isLeader: isLeader) ?? .distantFuture }
    var retiredUntil: Instant { retired?.until ?? .distantFuture }
}
