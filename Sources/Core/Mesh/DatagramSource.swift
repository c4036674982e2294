import Primitives
import Wire

/// The source of a datagram.
enum DatagramSource {
    case address(Endpoint)
    /// The datagram came inside the carrier of the peer at this index.
    case carrier(of: Int)
    /// A neighbour relayed the datagram. The neighbour had received it from the peer at index `origin`.
    case neighbour(NodeID, RelayFacts, origin: Int)

    /// Whether a datagram with a key of the peer at `index` may come from this source. A carrier or a neighbour must
    /// name that peer.
    func allows(_ index: Int) -> Bool {
        switch self {
        case .address: true
        case .carrier(let peer), .neighbour(_, _, let peer): peer == index
        }
    }
}

/// What this node knows of a path that leads through a neighbour.
struct RelayFacts {
    var rank: UInt64
    /// Whether this node may hand datagrams to the neighbour: the neighbour is linked, and not reached through another
    /// one.
    var isOpen: Bool
}
