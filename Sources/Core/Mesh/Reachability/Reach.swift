import Primitives

/// The addresses from which this node accepts connections: those that it would dial.
extension MeshNode {
    /// Whether this node accepts a connection of the peer from `source`: a loopback or link-local address, an address
    /// in a network of this host, in a prefix that the user configured or that `rememberReach` added, or an address
    /// that the user gave.
    func isWithinReach(_ source: IPAddress, of peer: NodeID) -> Bool {
        if source.isLoopback || source.isLinkLocal { return true }
        let prefixes =
            configuration.interfaces.map(\.prefix) + configuration.reachablePrefixes + reachability.learnedPrefixes
        if prefixes.contains(where: { source.hasPrefix(of: $0.address, length: $0.length) }) { return true }
        if reachability.staticPeers.contains(where: { $0.endpoint.address == source }) { return true }
        guard let index = links.index(of: peer) else { return false }
        return reachability[index].addresses.newestFirst.contains {
            $0.source == .user && $0.endpoint.address == source
        }
    }
}
