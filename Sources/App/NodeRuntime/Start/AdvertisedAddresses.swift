import Discovery
package import Mesh
package import Primitives

extension [NetworkInterface] {
    /// The own addresses as the mesh wants them.
    ///
    /// Interfaces that software on this host made (bridges, containers, tunnels) are used but not
    /// told to others, unless they are all there is: inside a container the only way out is one.
    ///
    /// - Parameter listen: where this node listens, when not everywhere; then only that address.
    package func advertised(listen: IPAddress?) -> [InterfaceAddress] {
        let hasReal = contains {
            !$0.isVirtual && $0.medium != .loopback && $0.addresses.contains { !$0.address.isLinkLocal }
        }
        return flatMap { interface in
            interface.addresses.compactMap { own -> InterfaceAddress? in
                if let listen, listen != own.address { return nil }
                let isNamed = listen == own.address
                return InterfaceAddress(
                    interfaceIndex: interface.index,
                    prefix: AddressPrefix(address: own.address, length: own.prefixLength),
                    medium: interface.medium.ofMesh,
                    isAdvertised: isNamed || !interface.isVirtual || !hasReal)
            }
        }
    }
}

extension NetworkInterface.Medium {
    fileprivate var ofMesh: InterfaceAddress.Medium {
        switch self {
        case .wired: .wired
        case .wireless: .wireless
        case .loopback: .loopback
        case .other: .other
        }
    }
}
