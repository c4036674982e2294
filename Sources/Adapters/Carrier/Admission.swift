package import Primitives

/// Who may connect, before anything is known about them but their address.
///
/// A value without clock or sockets. Near sources, those of this host and of its own links, have
/// room for a whole mesh behind one address; far ones have little, and pay for what they break
/// (after OpenSSH's PerSourcePenalties).
package struct Admission {
    /// A place that an accepted connection holds until it is trusted or gone.
    package struct Ticket: Hashable, Sendable {
        package let source: CarrierSource
    }

    package enum Decision: Equatable, Sendable {
        case admitted(Ticket)
        case refused(Refusal)
    }

    package enum Refusal: Hashable, Sendable { case full, sourceFull, penalized }

    package enum Offence: Hashable, Sendable { case failedHandshake, timedOut }

    private struct Penalty {
        var until: Instant
        /// The sum has once reached `penaltyMin`: the source stays out until `until`.
        var isActive: Bool
    }

    private let limits: CarrierLimits
    private var links: [CarrierLink] = []
    private var held: [CarrierSource: Int] = [:]
    private var heldCount = 0
    private var penalties: [CarrierSource: Penalty] = [:]

    package init(limits: CarrierLimits) { self.limits = limits }

    package mutating func setLinks(_ links: [CarrierLink]) { self.links = links }

    package mutating func admit(_ address: IPAddress, now: Instant) -> Decision {
        let source = CarrierSource(address, links: links)
        if let penalty = penalties[source], penalty.isActive, now < penalty.until { return .refused(.penalized) }
        guard heldCount < limits.untrustedMax else { return .refused(.full) }
        let sourceMax = source.isNear ? limits.untrustedPerNearSourceMax : limits.untrustedPerFarSourceMax
        guard held[source, default: 0] < sourceMax else { return .refused(.sourceFull) }
        held[source, default: 0] += 1
        heldCount += 1
        return .admitted(Ticket(source: source))
    }

    /// Gives the place back, once for each ticket.
    package mutating func release(_ ticket: Ticket) {
        guard let count = held[ticket.source] else { return }
        held[ticket.source] = count == 1 ? nil : count - 1
        heldCount -= 1
    }

    /// Near sources are exempt: behind one address there may be a room full of people.
    package mutating func penalize(_ ticket: Ticket, for offence: Offence, now: Instant) {
        guard !ticket.source.isNear else { return }
        let added = offence == .failedHandshake ? limits.penaltyForFailedHandshake : limits.penaltyForTimeout
        if penalties[ticket.source] == nil, limits.penalizedSourcesMax <= penalties.count {
            penalties = penalties.filter { now < $0.value.until }
            guard penalties.count < limits.penalizedSourcesMax else { return }
        }
        var penalty = penalties[ticket.source] ?? Penalty(until: now, isActive: false)
        if penalty.until <= now { penalty = Penalty(until: now, isActive: false) }
        penalty.until = min(penalty.until + added, now + limits.penaltyMax)
        penalty.isActive = penalty.isActive || limits.penaltyMin <= penalty.until - now
        penalties[ticket.source] = penalty
    }
}
