import Primitives

/// From where this node takes connections: from where it would dial.
extension MeshNode {
    /// Whether a connection from `source` may be this peer's: it comes from this host, from a network that this host is
    /// part of, from a prefix that the user configured or that an address of the user's has led to, or from an address
    /// that the user gave.
    func isWithinReach(_ source: IPAddress, of peer: NodeID) -> Bool {
        if source.isLoopback || source.isLinkLocal { return true }
        let prefixes = configuration.interfaces.map(\.prefix) + configuration.reachablePrefixes + learnedPrefixes
        if prefixes.contains(where: { source.hasPrefix(of: $0.address, length: $0.length) }) { return true }
        if staticPeers.contains(where: { $0.endpoint.address == source }) { return true }
        guard let index = peers.index(of: peer) else { return false }
        return peers[index].addresses.newestFirst.contains {
            $0.source == .user && $0.endpoint.address == source
        }
    }
}
