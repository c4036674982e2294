package import Primitives

/// The source of a connection, to which limits apply.
package struct CarrierSource: Hashable, Sendable {
    /// The address; only its first 64 bits if it is a far IPv6 address, since one customer usually has all of a /64.
    package let address: IPAddress
    /// Whether the address is of this host or link-local, or on a network that this host is part of.
    package let isNear: Bool

    package init(_ address: IPAddress, networks: [LocalNetwork]) {
        isNear =
            address.isLoopback || address.isLinkLocal
            || networks.contains { address.hasPrefix(of: $0.address, length: $0.prefixLength) }
        let isFarV6 = !isNear && address.v4 == nil
        self.address = isFarV6 ? IPAddress(high: address.high, low: 0) : address
    }
}
