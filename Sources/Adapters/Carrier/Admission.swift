package import Primitives

/// Who may connect, before anything is known about them but their address.
///
/// A value without clock or sockets. Near sources, those of this host and of its own links, have
/// room for a whole mesh behind one address; far ones have little, and pay for what they break
/// (after OpenSSH's PerSourcePenalties).
package struct Admission {
    /// A place that an accepted connection holds until it is trusted or gone.
    package struct Ticket: Hashable, Sendable {
        fileprivate let source: Source
    }

    package enum Decision: Equatable, Sendable {
        /// The handshake may start at the instant given, which may be now.
        case admitted(Ticket, startAt: Instant)
        case refused(Refusal)
    }

    package enum Refusal: Hashable, Sendable { case full, sourceFull, penalized }

    package enum Offence: Hashable, Sendable { case failedHandshake, timedOut }

    fileprivate struct Source: Hashable, Sendable {
        let address: IPAddress
        let isNear: Bool
    }

    private struct Penalty {
        var until: Instant
        /// The sum has once reached `penaltyMin`: the source stays out until `until`.
        var isActive: Bool
    }

    private let limits: CarrierLimits
    private var links: [CarrierLink] = []
    private var held: [Source: Int] = [:]
    private var heldCount = 0
    private var penalties: [Source: Penalty] = [:]
    /// Virtual scheduling (ITU-T I.371, GCRA): when the next handshake would start at a steady rate.
    private var nextHandshake = Instant.zero

    package init(limits: CarrierLimits) { self.limits = limits }

    package mutating func setLinks(_ links: [CarrierLink]) { self.links = links }

    package mutating func admit(_ address: IPAddress, now: Instant) -> Decision {
        let source = source(of: address)
        if let penalty = penalties[source], penalty.isActive, now < penalty.until { return .refused(.penalized) }
        guard heldCount < limits.untrustedMax else { return .refused(.full) }
        let sourceMax = source.isNear ? limits.untrustedPerNearSourceMax : limits.untrustedPerFarSourceMax
        guard held[source, default: 0] < sourceMax else { return .refused(.sourceFull) }
        held[source, default: 0] += 1
        heldCount += 1
        return .admitted(Ticket(source: source), startAt: reserveHandshake(now: now))
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

    private mutating func reserveHandshake(now: Instant) -> Instant {
        let allowance = limits.handshakeSpacing * Int64(limits.handshakeBurst)
        nextHandshake = max(nextHandshake, now) + limits.handshakeSpacing
        return max(now, nextHandshake - allowance)
    }

    /// Near sources by whole address; far ones by what one customer is given: an IPv4 address or
    /// an IPv6 /64.
    private func source(of address: IPAddress) -> Source {
        let isNear =
            address.isLoopback || address.isLinkLocal
            || links.contains { address.hasPrefix(of: $0.address, length: $0.prefixLength) }
        let isFarV6 = !isNear && address.v4 == nil
        return Source(address: isFarV6 ? IPAddress(high: address.high, low: 0) : address, isNear: isNear)
    }
}
