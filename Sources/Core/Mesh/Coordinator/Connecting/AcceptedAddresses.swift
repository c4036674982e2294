import Primitives

/// The addresses that this node dials, and those from which it accepts connections.
extension MeshNode {
    /// Returns the addresses of a peer that may be dialled, in the order in which they are dialled.
    func dialOrder(of index: Int, now: Instant) -> [Endpoint] {
        reachability.dialOrder(of: index, on: hostNetwork, now: now)
    }

    /// Whether this node accepts a connection of the peer from `source`.
    func isWithinReach(_ source: IPAddress, of peer: NodeID) -> Bool {
        reachability.isWithinReach(source, of: links.index(of: peer), on: hostNetwork)
    }

    var hostNetwork: HostNetwork {
        HostNetwork(
            interfaces: configuration.interfaces, reachablePrefixes: configuration.reachablePrefixes,
            port: configuration.port)
    }
}
