package import Primitives

/// Where a connection comes from, as far as limits by source are concerned.
package struct CarrierSource: Hashable, Sendable {
    /// Near sources by whole address; far ones by what one customer is given: an IPv4 address or an IPv6 /64.
    package let address: IPAddress
    /// Of this host, or of one of its own links: behind one address there may be a room full of people.
    package let isNear: Bool

    package init(_ address: IPAddress, links: [CarrierLink]) {
        isNear =
            address.isLoopback || address.isLinkLocal
            || links.contains { address.hasPrefix(of: $0.address, length: $0.prefixLength) }
        let isFarV6 = !isNear && address.v4 == nil
        self.address = isFarV6 ? IPAddress(high: address.high, low: 0) : address
    }
}
