import Primitives
import Wire

/// The path of a datagram that has opened.
enum DatagramArrival {
    case path(Int)
    /// Authentic, but from an address that is not proved.
    case stranger(Endpoint)
}

extension PathTable {
    /// Returns how a datagram came to the session. The first datagram through a neighbour adds its path. Returns nil
    /// where all such paths are taken and none can be replaced.
    mutating func arrival(from source: DatagramSource, now: Instant) -> DatagramArrival? {
        switch source {
        case .carrier: return .path(carrierIndex)
        case .neighbour(let node, let turn, _):
            return index(through: node, rank: turn.rank, isOpen: turn.isOpen, now: now).map { .path($0) }
        case .address(let endpoint):
            guard let path = index(of: .address(endpoint)), self[path].trust == .proved else {
                return .stranger(endpoint)
            }
            return .path(path)
        }
    }
}
