package import Primitives

/// Decides whether an accepted connection may stay, from its source address alone.
///
/// A value without clock or sockets. If all places are taken, the oldest connection of the source with the most gives
/// way to a source with fewer. So nobody keeps others out by holding all places.
///
/// A near source, on this host or on a network that this host is part of, may have as many connections as a whole mesh
/// needs. A far source may have few, and gets penalties for failed handshakes and time-outs (after OpenSSH's
/// PerSourcePenalties).
package struct ConnectionPlaces {
    /// The permission of an accepted connection to stay while it is not trusted. It is given back when the connection
    /// is trusted or has ended, or taken back for another connection.
    package struct Ticket: Hashable, Sendable {
        package let source: CarrierSource
        fileprivate let number: UInt64
    }

    /// The answer to a connection.
    package enum Decision: Equatable, Sendable {
        /// The connection with the ticket `displaced` has lost its place and must be closed.
        case admitted(Ticket, displaced: Ticket?)
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
    private var networks: [LocalNetwork] = []
    /// The tickets of connections that are not trusted, the oldest first.
    private var held: [Ticket] = []
    private var heldBySource: [CarrierSource: Int] = [:]
    private var ticketsMade: UInt64 = 0
    private var penalties: [CarrierSource: Penalty] = [:]

    package init(limits: CarrierLimits) { self.limits = limits }

    /// Sets the networks that this host is part of.
    package mutating func setNetworks(_ networks: [LocalNetwork]) { self.networks = networks }

    /// Decides about a connection from `address`.
    package mutating func admit(_ address: IPAddress, now: Instant) -> Decision {
        let source = CarrierSource(address, networks: networks)
        if let penalty = penalties[source], penalty.isActive, now < penalty.until { return .refused(.penalized) }
        let sourceMax = source.isNear ? limits.untrustedPerNearSourceMax : limits.untrustedPerFarSourceMax
        guard heldBySource[source, default: 0] < sourceMax else { return .refused(.sourceFull) }
        var displaced: Ticket?
        if limits.untrustedMax <= held.count {
            displaced = oldestOfCrowd(above: heldBySource[source, default: 0])
            guard let displaced else { return .refused(.full) }
            release(displaced)
        }
        ticketsMade += 1
        let ticket = Ticket(source: source, number: ticketsMade)
        held.append(ticket)
        heldBySource[source, default: 0] += 1
        return .admitted(ticket, displaced: displaced)
    }

    /// Returns the oldest ticket of the sources that hold the most, if that is more than `count`.
    private func oldestOfCrowd(above count: Int) -> Ticket? {
        guard let most = heldBySource.values.max(), count < most else { return nil }
        return held.first { heldBySource[$0.source] == most }
    }

    /// Whether a ticket has not been given back.
    package func holds(_ ticket: Ticket) -> Bool { held.contains(ticket) }

    /// Gives a ticket back; does nothing if it was taken back before.
    package mutating func release(_ ticket: Ticket) {
        guard let index = held.firstIndex(of: ticket), let count = heldBySource[ticket.source] else { return }
        held.remove(at: index)
        heldBySource[ticket.source] = count == 1 ? nil : count - 1
    }

    /// Adds a penalty to the source of a ticket that is held. Near sources get none: one address may stand for many
    /// nodes.
    package mutating func penalize(_ ticket: Ticket, for offence: Offence, now: Instant) {
        guard !ticket.source.isNear, held.contains(ticket) else { return }
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

/// The source of a connection, to which limits apply.
package struct CarrierSource: Hashable, Sendable {
    /// The address; only its first 64 bits if it is a far IPv6 address, since one customer usually has all of a /64.
    package let address: IPAddress
    /// Whether the address is of this host or link-local, or on a network that this host is part of.
    package let isNear: Bool

    package init(_ address: IPAddress, networks: [LocalNetwork]) {
        isNear =
            address.isLoopback || address.isLinkLocal
            || networks.contains { address.hasPrefix(of: $0.address, length: $0.prefixLength) }
        let isFarV6 = !isNear && address.v4 == nil
        self.address = isFarV6 ? IPAddress(high: address.high, low: 0) : address
    }
}
