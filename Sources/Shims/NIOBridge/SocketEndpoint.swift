package import CLinux
package import NIOCore
package import Primitives

/// `Endpoint` in the terms of the operating system and back. Both directions are total on what
/// the kernel can produce for IPv4 and IPv6; link-local scopes are kept.
extension Endpoint {
    /// The socket address that reaches this endpoint: `AF_INET` for IPv4, else `AF_INET6`.
    package var socketAddress: SocketAddress {
        address.v4 == nil
            ? SocketAddress(linux_sockaddr_in6(linuxEndpoint), host: "")
            : SocketAddress(linux_sockaddr_in(linuxEndpoint), host: "")
    }

    /// Nil for anything but IPv4 and IPv6 (a UNIX socket has no endpoint).
    package init?(_ socketAddress: SocketAddress) {
        let converted = socketAddress.withSockAddr { pointer, _ in Endpoint(pointer) }
        guard let converted else { return nil }
        self = converted
    }

    /// Nil for another family, or where there is no address.
    package init?(_ pointer: UnsafePointer<sockaddr>?) {
        var raw = linux_endpoint()
        guard linux_endpoint_of(pointer, &raw) else { return nil }
        self.init(raw)
    }

    /// The scope is kept for link-local addresses alone: elsewhere it says nothing.
    package init(_ raw: linux_endpoint) {
        let address = IPAddress(high: raw.high, low: raw.low)
        let isScoped = address.v4 == nil && address.isLinkLocal
        self.init(address: address, port: raw.port, scope: isScoped ? raw.scope : 0)
    }

    package var linuxEndpoint: linux_endpoint {
        linux_endpoint(high: address.high, low: address.low, scope: scope, port: port)
    }
}
