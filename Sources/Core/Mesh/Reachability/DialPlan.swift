package import Primitives
import Wire

/// The addresses that one attempt dials, best first, `MeshLimits.dialStagger` apart (RFC 8305).
package struct DialPlan: Hashable, Sendable {
    /// Addresses that are not dialled yet.
    package private(set) var waiting: [Endpoint] = []
    package private(set) var inProgress: [DialID] = []
    package private(set) var nextAt: Instant = .distantFuture
    /// Whether the first address has been dialled.
    package private(set) var hasBegun = false
    /// When a tunnel is dialled in addition to the addresses. It is dialled earlier if all addresses fail, and not at
    /// all if a carrier opens before.
    package private(set) var tunnelAt: Instant = .distantFuture
    /// Neighbours asked for a tunnel in this attempt.
    package private(set) var tunnelsAsked = 0

    package init() {}

    package var isOver: Bool { waiting.isEmpty && inProgress.isEmpty }

    package mutating func start(_ endpoints: [Endpoint], now: Instant) {
        waiting = endpoints
        hasBegun = false
        tunnelsAsked = 0
        nextAt = endpoints.isEmpty ? .distantFuture : now
    }

    /// Returns the next address and schedules the one after it, `dialStagger` later. Returns nil if none is left.
    package mutating func takeNext(now: Instant) -> Endpoint? {
        guard !waiting.isEmpty else { return nil }
        let endpoint = waiting.removeFirst()
        hasBegun = true
        nextAt = waiting.isEmpty ? .distantFuture : now + MeshLimits.dialStagger
        return endpoint
    }

    /// Schedules the dial of a tunnel, which runs beside the dials of addresses. `.distantFuture` means that no tunnel
    /// is scheduled.
    package mutating func scheduleTunnel(at instant: Instant) { tunnelAt = instant }

    /// Notes that an address is being dialled.
    package mutating func began(_ dial: DialID) { inProgress.append(dial) }

    /// Notes that a tunnel is being dialled.
    package mutating func beganTunnel(_ dial: DialID) {
        began(dial)
        tunnelsAsked += 1
        tunnelAt = .distantFuture
    }

    /// Drops the waiting addresses, because the peer has opened a carrier. Dials in progress may still open.
    package mutating func stopWaiting() {
        waiting = []
        nextAt = .distantFuture
        tunnelAt = .distantFuture
    }

    /// Removes a dial that has opened or failed.
    package mutating func ended(_ dial: DialID) { inProgress.removeAll { $0 == dial } }

    /// Makes the next address due, because a dial has failed.
    package mutating func hasten(now: Instant) {
        if !waiting.isEmpty { nextAt = min(nextAt, now) }
    }
}

/// What is left of an attempt after one of its dials has failed.
enum DialEnd {
    /// Nothing has to be done: other dials of the attempt go on, this dial was cancelled before, or it was for a static
    /// address, which is dialled again later, or for a sender of the waiting room.
    case goesOn
    /// The failed dial was for a tunnel through a neighbour. Another neighbour may be asked, while the other dials of
    /// the attempt go on.
    case tunnelFailed(of: Int)
    /// No address is left. Only a tunnel can still complete the attempt.
    case planIsOver(of: Int)
}

/// A neighbour that may forward a tunnel to a peer, because it advertises a link to that peer.
struct TunnelNeighbour {
    let slot: PeerSlot
    /// The carrier to the neighbour; it is not tunnelled itself.
    let carrier: CarrierID
    /// The round-trip class of this node's own path to the neighbour.
    let rttClass: UInt8
    /// The link to the peer, as the neighbour advertises it.
    let link: AdvertisedLink

    /// Returns the best neighbour that was not asked: first by the path of its link to the peer (direct, then carrier,
    /// then relay), then by the round-trip class of the slower hop.
    static func best(of neighbours: [TunnelNeighbour], without asked: [PeerSlot]) -> TunnelNeighbour? {
        neighbours.filter { !asked.contains($0.slot) }.min { $0.rank < $1.rank }
    }

    private var rank: Int { rankOfPath << 8 + max(Int(rttClass), Int(link.rttClass)) }

    /// The rank of the neighbour's path to the peer; the lowest is asked first. A neighbour with a relayed path seldom
    /// has a direct carrier to the peer, so it is asked last.
    private var rankOfPath: Int {
        switch link.path {
        case .direct: 0
        case .carrier: 1
        case .relay: 2
        }
    }
}

/// What came of an attempt to dial a tunnel to a peer.
enum TunnelDial {
    /// No neighbour is left to ask.
    case noNeighbour
    /// The limits of dials forbid this dial now. It is scheduled.
    case postponed
    case begun(DialID, through: TunnelNeighbour)
}
