import Primitives

/// The addresses that this node dials, and those from which it accepts connections.
extension Reachability {
    /// Returns the addresses of a peer that may be dialled, in the order in which they are dialled.
    func dialOrder(of index: Int, on network: HostNetwork, now: Instant) -> [Endpoint] {
        DialOrder(
            interfaces: network.interfaces, reachable: network.reachablePrefixes + staticPeers.learnedPrefixes,
            ownPort: network.port, now: now
        ).endpoints(of: self[index].addresses)
    }

    /// Whether this node accepts a connection of a peer from `source`: a loopback or link-local address, an address
    /// in a network of this host, in a prefix that the user configured or that `rememberReach` added, or an address
    /// that the user gave.
    /// - Parameter index: the peer's slot; nil if it has none.
    func isWithinReach(_ source: IPAddress, of index: Int?, on network: HostNetwork) -> Bool {
        if source.isLoopback || source.isLinkLocal { return true }
        let prefixes =
            network.interfaces.map(\.prefix) + network.reachablePrefixes + staticPeers.learnedPrefixes
        if prefixes.contains(where: { source.hasPrefix(of: $0.address, length: $0.length) }) { return true }
        if staticPeers.contains(source) { return true }
        guard let index else { return false }
        return self[index].addresses.newestFirst.contains {
            $0.source == .user && $0.endpoint.address == source
        }
    }
}

/// The network of this host, as far as it decides which addresses are dialled and accepted.
struct HostNetwork {
    let interfaces: [InterfaceAddress]
    /// Prefixes outside the networks of this host that the user allows.
    let reachablePrefixes: [AddressPrefix]
    /// The port on which this node listens.
    let port: UInt16

    /// The source to which an address belongs where sources take turns: the address itself; its /64 if it is an IPv6
    /// address that is not on a network of this host, since one customer usually has all of a /64.
    func source(of address: IPAddress) -> IPAddress {
        let isNear =
            address.isLoopback || address.isLinkLocal
            || interfaces.contains { address.hasPrefix(of: $0.prefix.address, length: $0.prefix.length) }
        return isNear || address.v4 != nil ? address : IPAddress(high: address.high, low: 0)
    }
}
