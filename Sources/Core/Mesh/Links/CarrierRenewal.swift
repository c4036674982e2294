package import Primitives

/// State of a renewal: of the work to get a new carrier for a link that is up. It is independent of `LinkState`.
///
///     none ─► due ─► connecting ─► negotiating ─► none (the candidate took over, or gave up)
///
/// If the peer opens a carrier, the state becomes `connecting` or `negotiating` from any earlier state. A failure leads
/// back to `due`, or to `none` if the session has a direct carrier by then.
package enum CarrierRenewal: Hashable, Sendable {
    case none
    case due(at: Instant)
    case connecting(since: Instant)
    case negotiating(LinkNegotiation)

    package var negotiation: LinkNegotiation? {
        if case .negotiating(let negotiation) = self { negotiation } else { nil }
    }

    package var deadline: Instant {
        switch self {
        case .none: .distantFuture
        case .due(let at): at
        case .connecting(let since): since + MeshLimits.helloWaitMax
        case .negotiating(let negotiation): negotiation.deadline
        }
    }
}

/// The renewal of one link, if there is one now, when this node last dialled for one, and how often it still may.
struct RenewalCourse {
    /// The allowance for renewals when nothing of it is used.
    static let allowanceAtFirst = TokenBucket(
        burst: MeshLimits.renewalsBurst, interval: MeshLimits.renewalInterval, now: .zero)

    /// The present renewal.
    var state = CarrierRenewal.none
    /// When this node last started to dial for a renewal.
    var startedAt: Instant?
    var allowance = allowanceAtFirst
}

extension Links {
    /// Whether the carrier of the session leads through a neighbour.
    func isTunnelled(_ index: Int) -> Bool {
        guard let carrier = self[index].session?.carrier else { return false }
        return carriers[carrier]?.isTunnelled == true
    }

    /// Whether the session has no carrier, or only a tunnelled one.
    func lacksDirectCarrier(_ index: Int) -> Bool { self[index].session?.carrier == nil || isTunnelled(index) }

    /// Makes a renewal due at `at`.
    mutating func renew(_ index: Int, at: Instant, _ effects: inout Effects) {
        self[index].renewal = .due(at: at)
        effects.invalidateDeadlines()
    }

    /// Schedules the renewal of a link without a carrier.
    /// - Parameters:
    ///   - wasJustLongAbsent: whether a long absence of this node ended a moment ago. If so, it dials first, even as
    ///     the follower.
    ///   - isFailing: whether attempts to reach the peer have failed since the link was last stable.
    mutating func scheduleRenewal(
        _ index: Int, wasJustLongAbsent: Bool, isFailing: Bool, _ effects: inout Effects, now: Instant
    ) {
        let isFirst = self[index].isLeader || wasJustLongAbsent
        let wait = isFirst ? Interval.zero : effects.random.interval(in: MeshLimits.followerRedialWait)
        var at = now + wait
        if isFailing, let startedAt = self[index].renewalCourse.startedAt {
            at = max(at, startedAt + MeshLimits.renewalInterval)
        }
        renew(index, at: at, &effects)
    }

    /// What a renewal does at its deadline.
    enum RenewalStep {
        case waits
        case dials
        case fails(LinkFailure)
    }

    mutating func takeRenewalStep(_ index: Int, wasJustLongAbsent: Bool, now: Instant) -> RenewalStep {
        guard self[index].renewal.deadline <= now else { return .waits }
        switch self[index].renewal {
        case .none: return .waits
        case .due: return startRenewal(index, wasJustLongAbsent: wasJustLongAbsent, now: now) ? .dials : .waits
        case .connecting: return .fails(.noHello)
        case .negotiating: return .fails(.noAnswer)
        }
    }

    /// Starts a renewal that is due. Returns false if it has to wait, or is no longer wanted.
    private mutating func startRenewal(_ index: Int, wasJustLongAbsent: Bool, now: Instant) -> Bool {
        // While the link is in verification, nothing is dialled: soon the link is up or down. After a long absence of
        // this node, it dials all the same.
        guard self[index].state.isUp || wasJustLongAbsent, lacksDirectCarrier(index) else {
            self[index].renewal = self[index].state.isLinked ? .due(at: now + MeshLimits.probeInterval) : .none
            return false
        }
        guard isTunnelled(index) || self[index].renewalCourse.allowance.take(now: now) else {
            self[index].renewal = .due(at: self[index].renewalCourse.allowance.nextToken(now: now))
            return false
        }
        self[index].renewal = .connecting(since: now)
        self[index].renewalCourse.startedAt = now
        return true
    }

    /// Ends a renewal while the link is up, because one side has refused the carrier of the renewal. If the session has
    /// no carrier, or only a tunnelled one, the next renewal is due after `retryAfter`.
    mutating func settleRenewal(after carrier: CarrierEntry, retryAfter: Interval, now: Instant) {
        let index = carrier.slot.index
        let isOther = self[index].renewal.negotiation.map { $0.carrier != carrier.id } ?? false
        guard self[index].state.isLinked, !isOther else { return }
        self[index].renewal = lacksDirectCarrier(index) ? .due(at: now + retryAfter) : .none
    }
}

extension PeerLink {
    /// The negotiation of a renewal in which both sides have the keys, so that only the first echo is missing; nil in
    /// every other case.
    var agreedRenewal: LinkNegotiation? { candidate?.hasActiveKeys == true ? renewal.negotiation : nil }

    mutating func endRenewal() { renewal = .none }

    /// Makes a scheduled renewal due now.
    /// - Returns: whether a renewal was scheduled.
    @discardableResult
    mutating func hastenRenewal(now: Instant) -> Bool {
        guard case .due = renewal else { return false }
        renewal = .due(at: now)
        return true
    }

    /// Begins the present renewal again, because this boot has advanced its instance. Renewals that failed because of
    /// the old instance no longer count. Until a new carrier opens, the peer uses the old instance.
    mutating func restartRenewal(now: Instant) {
        guard renewal != .none else { return }
        renewal = .due(at: now)
        renewalCourse.allowance = RenewalCourse.allowanceAtFirst
    }
}
