import CLinux
import NIOBridge
package import Primitives

/// A network interface of this host: one that is running, with its addresses, or a network card, in whatever state.
package struct NetworkInterface: Hashable, Sendable {
    /// `other` is neither loopback nor wireless, and has no broadcast.
    package enum Medium: UInt8, CaseIterable, Sendable { case wired, wireless, loopback, other }

    /// An address of the interface, with the prefix of its network.
    package struct Address: Hashable, Sendable {
        package var address: IPAddress
        /// In bits: at most 32 for IPv4, 128 for IPv6.
        package var prefixLength: Int

        package init(address: IPAddress, prefixLength: Int) {
            self.address = address
            self.prefixLength = prefixLength
        }
    }

    /// The kernel's index of the interface, which is the scope of link-local addresses.
    package var index: UInt32
    package var name: String
    package var medium: Medium
    /// Whether the interface is made by software on this host: a bridge, veth, tun, or that of a container.
    package var isVirtual: Bool
    package var canMulticast: Bool
    /// Whether it is up and has a carrier. If not, it is a network card that is off, or lacks its cable or its Wi-Fi
    /// network.
    package var isRunning: Bool
    /// None if it is not running, even if the kernel keeps some. A card in a bridge has none either. An IPv6 address is
    /// missing while the kernel looks for a duplicate of it, up to two seconds, and if it has found one: a dial begun
    /// meanwhile may have a wrong source address until it times out.
    package var addresses: [Address]

    package init(
        index: UInt32, name: String, medium: Medium, isVirtual: Bool, canMulticast: Bool, isRunning: Bool = true,
        addresses: [Address]
    ) {
        self.index = index
        self.name = name
        self.medium = medium
        self.isVirtual = isVirtual
        self.canMulticast = canMulticast
        self.isRunning = isRunning
        self.addresses = addresses
    }
}

extension NetworkInterface {
    /// Returns the interfaces that are running and have an address, and all network cards, ordered by index; nil if the
    /// kernel reports an error.
    package static func current() -> [NetworkInterface]? {
        let capacity = DiscoveryLimits.interfaceAddressesMax
        var isKnown = false
        let rows = [linux_interface_address](unsafeUninitializedCapacity: capacity) { buffer, count in
            let result = Int(linux_interface_addresses(buffer.baseAddress, CInt(capacity)))
            isKnown = 0 <= result
            count = max(0, result)
        }
        guard isKnown else { return nil }
        var interfaces: [NetworkInterface] = []
        for row in rows {
            let own = Address(address: Endpoint(row.address).address, prefixLength: Int(row.prefix_length))
            let addresses = row.has_address ? [own] : []
            if let known = interfaces.firstIndex(where: { $0.index == row.index }) {
                interfaces[known].addresses += addresses
            } else {
                interfaces.append(NetworkInterface(row, addresses: addresses))
            }
        }
        return interfaces.sorted { $0.index < $1.index }
    }

    private init(_ row: linux_interface_address, addresses: [Address]) {
        let medium: Medium =
            row.is_loopback ? .loopback : row.is_wireless ? .wireless : row.is_broadcast ? .wired : .other
        self.init(
            index: row.index,
            name: withUnsafeBytes(of: row.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
            medium: medium, isVirtual: row.is_virtual, canMulticast: row.can_multicast, isRunning: row.is_running,
            addresses: addresses)
    }
}
