package import Primitives

/// Decides whether an accepted connection may stay, from its source address alone.
///
/// A value without clock or sockets. A near source, on this host or on a network that this host is part of, may have as
/// many connections as a whole mesh needs. A far source may have few, and gets penalties for failed handshakes and
/// time-outs (after OpenSSH's PerSourcePenalties).
package struct Admission {
    /// The permission of an accepted connection to stay while it is not trusted. It is given back when the connection
    /// is trusted or has ended.
    package struct Ticket: Hashable, Sendable {
        package let source: CarrierSource
    }

    /// The answer to a connection.
    package enum Decision: Equatable, Sendable {
        case admitted(Ticket)
        case refused(Refusal)
    }

    /// The reason of a refusal: too many connections in all, too many from this source, or a penalty of this source.
    package enum Refusal: Hashable, Sendable { case full, sourceFull, penalized }

    /// An act for which a source gets a penalty.
    package enum Offence: Hashable, Sendable { case failedHandshake, timedOut }

    private struct Penalty {
        var until: Instant
        /// Whether the sum has reached `penaltyMin` once. If so, the source is refused until `until`.
        var isActive: Bool
    }

    private let limits: CarrierLimits
    private var links: [CarrierLink] = []
    private var held: [CarrierSource: Int] = [:]
    private var heldCount = 0
    private var penalties: [CarrierSource: Penalty] = [:]

    package init(limits: CarrierLimits) { self.limits = limits }

    /// Sets the networks that this host is part of.
    package mutating func setLinks(_ links: [CarrierLink]) { self.links = links }

    /// Decides about a connection from `address`.
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

    /// Gives a ticket back; to be called once for each ticket.
    package mutating func release(_ ticket: Ticket) {
        guard let count = held[ticket.source] else { return }
        held[ticket.source] = count == 1 ? nil : count - 1
        heldCount -= 1
    }

    /// Adds a penalty to the ticket's source. Near sources get none: one address may stand for many nodes.
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
