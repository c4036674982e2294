import Glibc
package import Primitives

/// An address that a person gave by `--peer`. A link-local one has an interface, which counts by its name: one that is
/// made anew, as when a USB card is plugged in again, has another index.
package struct GivenAddress: Hashable, Sendable {
    /// The address as the mesh knows it. Its scope is the index that the interface had when the setting was read.
    package let endpoint: Endpoint
    /// Nil if the address is not link-local.
    package let interface: String?

    package init(_ endpoint: Endpoint, interface: String? = nil) {
        (self.endpoint, self.interface) = (endpoint, interface)
    }

    /// The index of an interface of this machine; 0 if it has none of that name.
    @Sendable package static func index(ofInterface name: String) -> UInt32 { if_nametoindex(name) }

    /// The address with the present index of its interface; nil if this machine does not have the interface now.
    package func present(_ index: (String) -> UInt32 = GivenAddress.index(ofInterface:)) -> Endpoint? {
        guard let interface else { return endpoint }
        let scope = index(interface)
        return scope == 0 ? nil : Endpoint(address: endpoint.address, port: endpoint.port, scope: scope)
    }
}

extension GivenAddress: CustomStringConvertible {
    /// As a person writes it (RFC 4007 §11).
    package var description: String {
        guard let interface else { return "\(endpoint)" }
        return "[\(endpoint.address)%\(SafeText(interface))]:\(endpoint.port)"
    }
}

extension [GivenAddress] {
    /// Where to dial an address of the mesh. One of these addresses is dialled at the present index of its interface,
    /// any other one as it is. An address whose interface is gone is not changed either, and its dial fails.
    package func target(
        of endpoint: Endpoint, _ index: (String) -> UInt32 = GivenAddress.index(ofInterface:)
    ) -> Endpoint {
        // Only a link-local address has a scope.
        guard endpoint.scope != 0, let given = first(where: { $0.endpoint == endpoint }) else { return endpoint }
        return given.present(index) ?? endpoint
    }
}
