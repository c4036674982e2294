import Primitives

/// A change of the addresses of this host.
struct AddressChange {
    private let gone: [InterfaceAddress]
    private let present: [InterfaceAddress]

    init(from former: [InterfaceAddress], to present: [InterfaceAddress]) {
        gone = former.filter { old in !present.contains { $0.prefix.address == old.prefix.address } }
        self.present = present
    }

    /// Whether a connection with `remote` has probably lost its local address. That is so if an address on the network
    /// of `remote` is gone. All link-local networks have one prefix, so such a network is told by its interface. If no
    /// interface, former or present, is on the network, it is so if any address of the same family is gone.
    func strands(_ remote: Endpoint) -> Bool {
        if remote.address.isLoopback { return false }
        let isV4 = remote.address.v4 != nil
        func reaches(_ interface: InterfaceAddress) -> Bool {
            remote.address.hasPrefix(of: interface.prefix.address, length: interface.prefix.length)
                && (remote.scope == 0 || remote.scope == interface.interfaceIndex)
        }
        if gone.contains(where: reaches) { return true }
        if present.contains(where: reaches) { return false }
        return gone.contains { ($0.prefix.address.v4 != nil) == isV4 }
    }
}
