import Primitives

/// A change of the addresses of this host.
struct AddressChange {
    private let gone: [InterfaceAddress]
    private let present: [InterfaceAddress]
    /// The addresses that this host has had before too.
    private let kept: [InterfaceAddress]
    /// Whether this host has an advertised address now on a network (a prefix) on which it had none before the change.
    /// When a cable is plugged in, this is mostly true twice: first for the link-local prefix, and seconds later for
    /// the prefix of DHCP.
    let opensNetwork: Bool

    init(from former: [InterfaceAddress], to present: [InterfaceAddress]) {
        gone = former.filter { old in !present.contains { $0.prefix.address == old.prefix.address } }
        self.present = present
        kept = present.filter { new in former.contains { $0.prefix.address == new.prefix.address } }
        opensNetwork = present.contains { new in
            new.isAdvertised && !former.contains { new.isOnNetwork(of: $0) }
        }
    }

    /// Whether a connection with `remote` has probably lost its local address. That is so if an address on the network
    /// of `remote` is gone. All link-local networks have one prefix, so the interface decides which one is meant. If no
    /// interface was or is on the network of `remote`, it is so if any address of the same family is gone.
    ///
    /// An interface has several IPv6 addresses on one network, and temporary ones expire one by one (RFC 8981). While
    /// the interface keeps one of them, the answer is no: the connection mostly goes on. If the connection has lost its
    /// own address all the same, TCP ends it some seconds after the next write.
    func strands(_ remote: Endpoint) -> Bool {
        if remote.address.isLoopback { return false }
        let isV4 = remote.address.v4 != nil
        func reaches(_ interface: InterfaceAddress) -> Bool {
            remote.address.hasPrefix(of: interface.prefix.address, length: interface.prefix.length)
                && (remote.scope == 0 || remote.scope == interface.interfaceIndex)
        }
        let lost = gone.filter(reaches)
        if !lost.isEmpty {
            let left = kept.filter(reaches).map(\.interfaceIndex)
            return isV4 || lost.contains { !left.contains($0.interfaceIndex) }
        }
        if present.contains(where: reaches) { return false }
        return gone.contains { ($0.prefix.address.v4 != nil) == isV4 }
    }
}

extension InterfaceAddress {
    /// Whether both addresses are on one network. All link-local networks have one prefix, so two link-local addresses
    /// are on one network only if they have one interface.
    fileprivate func isOnNetwork(of other: InterfaceAddress) -> Bool {
        prefix.address.hasPrefix(of: other.prefix.address, length: other.prefix.length)
            && (!prefix.address.isLinkLocal || interfaceIndex == other.interfaceIndex)
    }
}
