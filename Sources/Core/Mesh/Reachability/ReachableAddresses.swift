package import Primitives

/// The addresses that this node dials, and those from which it accepts connections.
extension Reachability {
    /// Returns the addresses of a peer that may be dialled, in the order in which they are dialled.
    func dialOrder(of index: Int, on network: HostNetwork, now: Instant) -> [Endpoint] {
        DialSequence(
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

/// The order in which a peer's addresses are dialled, and which addresses are not dialled. First come addresses where
/// the peer has answered, then those on wired networks, on Wi-Fi, on other networks, on loopback, and last those on no
/// network of this host. Within each group IPv6 and IPv4 take turns (RFC 8305 §4).
package struct DialSequence {
    private let interfaces: [InterfaceAddress]
    private let reachable: [AddressPrefix]
    private let ownPort: UInt16
    private let now: Instant

    package init(interfaces: [InterfaceAddress], reachable: [AddressPrefix], ownPort: UInt16, now: Instant) {
        self.interfaces = interfaces
        self.reachable = reachable
        self.ownPort = ownPort
        self.now = now
    }

    package func endpoints(of book: AddressBook) -> [Endpoint] {
        var ranked: [(rank: Int, endpoint: Endpoint)] = []
        for entry in book.newestFirst where !entry.isWrong(now: now) {
            for endpoint in scoped(entry.endpoint) where isAllowed(endpoint, entry) {
                ranked.append((entry.lastGoodAt != nil ? 0 : 1 + rank(endpoint), endpoint))
            }
        }
        var ordered: [Endpoint] = []
        for rank in 0...DialSequence.lastRank {
            let alike = ranked.filter { $0.rank == rank }.map(\.endpoint)
            ordered += interleaved(alike)
        }
        return ordered
    }

    /// The highest rank, dialled last: of an address on no network of this host. Rank 0, dialled first, is that of an
    /// address at which the peer has answered.
    private static let lastRank = 5

    private func rank(_ endpoint: Endpoint) -> Int {
        guard
            let interface = interfaces.first(where: {
                // All link-local networks have one prefix.
                endpoint.address.hasPrefix(of: $0.prefix.address, length: $0.prefix.length)
                    && (endpoint.scope == 0 || endpoint.scope == $0.interfaceIndex)
            })
        else { return 4 }
        switch interface.medium {
        case .wired: return 0
        case .wireless: return 1
        case .other: return 2
        case .loopback: return 3
        }
    }

    private func interleaved(_ endpoints: [Endpoint]) -> [Endpoint] {
        let v6 = endpoints.filter { $0.address.v4 == nil }
        let v4 = endpoints.filter { $0.address.v4 != nil }
        var mixed: [Endpoint] = []
        for index in 0..<max(v6.count, v4.count) {
            if index < v6.count { mixed.append(v6[index]) }
            if index < v4.count { mixed.append(v4[index]) }
        }
        return mixed
    }

    /// Returns the endpoints to dial in order to reach `endpoint`: mostly `endpoint` itself. A link-local IPv6 address
    /// without a scope does not say on which network it lies, so it is dialled on every IPv6 network of this host that
    /// is advertised; on bridges and containers only if there is no other.
    private func scoped(_ endpoint: Endpoint) -> [Endpoint] {
        guard endpoint.address.v4 == nil, endpoint.address.isLinkLocal, endpoint.scope == 0 else { return [endpoint] }
        let usable = interfaces.filter { $0.medium != .loopback && $0.prefix.address.v4 == nil }
        let advertised = usable.filter(\.isAdvertised)
        var scopes: [UInt32] = []
        for interface in advertised.isEmpty ? usable : advertised where !scopes.contains(interface.interfaceIndex) {
            scopes.append(interface.interfaceIndex)
        }
        return scopes.map { Endpoint(address: endpoint.address, port: endpoint.port, scope: $0) }
    }

    /// Whether this node may dial an address of the peer: never its own one; always one of `--peer`; one on loopback if
    /// the peer has answered there, or this node is on loopback; one on a network of this host; and one in a reachable
    /// prefix, but only once in `MeshLimits.offLinkDialInterval`.
    private func isAllowed(_ endpoint: Endpoint, _ entry: AddressBook.Entry) -> Bool {
        let address = endpoint.address
        if address.isMulticast || address.isUnspecified || endpoint.port == 0 { return false }
        if endpoint.port == ownPort, interfaces.contains(where: { $0.prefix.address == address }) { return false }
        if entry.source == .user { return true }
        // The interface is down or gone. One that is made anew has another index.
        if endpoint.scope != 0, !interfaces.contains(where: { $0.interfaceIndex == endpoint.scope }) { return false }
        if address.isLoopback { return entry.lastGoodAt != nil || isOnLoopback }
        if address.isLinkLocal || isOnLink(address) { return true }
        guard reachable.contains(where: { address.hasPrefix(of: $0.address, length: $0.length) }) else { return false }
        guard let dialledAt = entry.dialledAt else { return true }
        return MeshLimits.offLinkDialInterval <= now - dialledAt
    }

    /// Whether this node itself is advertised on loopback, or has no other interface. If not, it dials a loopback
    /// address only if the user gave it or the peer has answered there: a stranger's record may name loopback to make
    /// this node dial its own host.
    private var isOnLoopback: Bool {
        let loopbacks = interfaces.filter { $0.medium == .loopback }
        return loopbacks.contains(where: \.isAdvertised) || !loopbacks.isEmpty && loopbacks.count == interfaces.count
    }

    private func isOnLink(_ address: IPAddress) -> Bool {
        interfaces.contains { address.hasPrefix(of: $0.prefix.address, length: $0.prefix.length) }
    }
}
