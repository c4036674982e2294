import Primitives

/// A change of the addresses of this host.
struct AddressChange {
    private let gone: [InterfaceAddress]
    private let present: [InterfaceAddress]

    init(from former: [InterfaceAddress], to present: [InterfaceAddress]) {
        gone = former.filter { old in !present.contains { $0.prefix.address == old.prefix.address } }
        self.present = present
    }

    /// Whether a connection with `remote` used a local address that is gone: an address on the network of `remote`, or,
    /// where no interface is on that network, any gone address of the same family.
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
