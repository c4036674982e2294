import Primitives
import Wire

/// The source of a datagram.
enum DatagramSource {
    case address(Endpoint)
    /// The datagram came inside the carrier of the peer at this index.
    case carrier(of: Int)
    /// A neighbour relayed the datagram. The neighbour had received it from the peer at index `origin`.
    case neighbour(NodeID, RelayFacts, origin: Int)

    /// Whether this source may bring a datagram that has a key of the peer at `index`. An address may bring a datagram
    /// of any peer. A carrier may bring only datagrams of its own peer. A neighbour must name this peer as the origin.
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
    /// Whether this node may give the neighbour datagrams to relay: the neighbour is linked, and this node does not
    /// reach it through a third node.
    var isOpen: Bool
}

/// Which of a peer's sessions a key belongs to.
enum SessionRole {
    /// The session in use.
    case current
    /// The session that was offered or agreed, and that no echo has proved yet.
    case candidate
    /// The session that was replaced; it only opens datagrams that are under way.
    case retired
}
