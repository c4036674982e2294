package import CLinux
package import NIOCore
package import Primitives

/// Conversions between `Endpoint` and the socket addresses of the operating system and NIO. Every IPv4 and IPv6 address
/// can be converted; the scope of a link-local address is kept.
extension Endpoint {
    /// The socket address: `AF_INET` for IPv4, otherwise `AF_INET6`.
    package var socketAddress: SocketAddress {
        address.v4 == nil
            ? SocketAddress(linux_sockaddr_in6(linuxEndpoint), host: "")
            : SocketAddress(linux_sockaddr_in(linuxEndpoint), host: "")
    }

    /// Nil for an address that is neither IPv4 nor IPv6, such as that of a UNIX socket.
    package init?(_ socketAddress: SocketAddress) {
        // Not by `withSockAddr`: it goes through generic functions of NIO, which are slow, and runs for each datagram.
        switch socketAddress {
        case .v4(let address): self.init(socketAddressIn: address.address)
        case .v6(let address): self.init(socketAddressIn: address.address)
        case .unixDomainSocket: return nil
        }
    }

    /// - Parameter raw: a `sockaddr_in` or `sockaddr_in6`.
    private init?<Raw>(socketAddressIn raw: Raw) {
        let converted = withUnsafeBytes(of: raw) { bytes in
            Endpoint(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress)
        }
        guard let converted else { return nil }
        self = converted
    }

    /// Nil for a null pointer, or an address that is neither IPv4 nor IPv6.
    package init?(_ pointer: UnsafePointer<sockaddr>?) {
        var raw = linux_endpoint()
        guard linux_endpoint_of(pointer, &raw) else { return nil }
        self.init(raw)
    }

    /// Keeps the scope only for link-local IPv6 addresses; for others it has no meaning.
    package init(_ raw: linux_endpoint) {
        let address = IPAddress(high: raw.high, low: raw.low)
        let isScoped = address.v4 == nil && address.isLinkLocal
        self.init(address: address, port: raw.port, scope: isScoped ? raw.scope : 0)
    }

    /// The endpoint as the functions of CLinux take it.
    package var linuxEndpoint: linux_endpoint {
        linux_endpoint(high: address.high, low: address.low, scope: scope, port: port)
    }
}
