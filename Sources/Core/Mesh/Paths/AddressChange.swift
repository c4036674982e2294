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
    /// of `remote` is gone. If no interface, former or present, is on that network, it is so if any address of the same
    /// family is gone.
    func strands(_ remote: IPAddress) -> Bool {
        if remote.isLoopback { return false }
        let isV4 = remote.v4 != nil
        func reaches(_ interface: InterfaceAddress) -> Bool {
            remote.hasPrefix(of: interface.prefix.address, length: interface.prefix.length)
        }
        if gone.contains(where: reaches) { return true }
        if present.contains(where: reaches) { return false }
        return gone.contains { ($0.prefix.address.v4 != nil) == isV4 }
    }
}
