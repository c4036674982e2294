import Primitives
import Wire

/// A neighbour that may forward a tunnel to a peer, because it advertises a link to that peer.
struct TunnelNeighbour {
    let slot: PeerSlot
    /// The carrier to the neighbour; it is not tunnelled itself.
    let carrier: CarrierID
    /// The round-trip class of this node's own path to the neighbour.
    let rttClass: UInt8
    /// The link to the peer, as the neighbour advertises it.
    let link: AdvertisedLink

    /// Returns the best neighbour: one with a direct link first, then the one whose slower hop has the lowest
    /// round-trip class.
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
