import Carrier
import Discovery
package import Mesh
package import Primitives

extension [NetworkInterface] {
    /// The networks that this machine is part of, in the form that the carriers take.
    var localNetworks: [LocalNetwork] {
        flatMap(\.addresses).map { LocalNetwork(address: $0.address, prefixLength: $0.prefixLength) }
    }

    /// The addresses of this machine in the form that the mesh takes.
    ///
    /// Interfaces that software on this host made (bridges, containers, tunnels) are used but not advertised to others,
    /// unless no other interface has an address. So it is in a container, and on a host whose card is a port of a
    /// bridge that has the address. But while every network card of the host is off or without a carrier, such an
    /// interface leads nowhere else, and nothing of it is advertised: the node has no network then, as the mesh sees
    /// it. Loopback is advertised only if this node listens on it alone: on other machines it leads elsewhere, and it
    /// is no network. Where nothing is advertised, the record names loopback all the same (`OwnRecord.endpoints`).
    ///
    /// - Parameter listen: the only address on which this node listens; nil for all. If given, only this address is
    ///   returned.
    package func advertised(listen: IPAddress?) -> [InterfaceAddress] {
        let cards = filter { !$0.isVirtual && $0.medium != .loopback }
        let hasReal = cards.contains { $0.addresses.contains { !$0.address.isLinkLocal } }
        let isCutOff = !cards.isEmpty && !cards.contains(where: \.isRunning)
        return flatMap { interface in
            interface.addresses.compactMap { own -> InterfaceAddress? in
                if let listen, listen != own.address { return nil }
                let isNamed = listen == own.address
                let isForOthers = interface.medium != .loopback && (!interface.isVirtual || !hasReal && !isCutOff)
                return InterfaceAddress(
                    interfaceIndex: interface.index,
                    prefix: AddressPrefix(address: own.address, length: own.prefixLength),
                    medium: interface.medium.ofMesh,
                    isAdvertised: isNamed || isForOthers)
            }
        }
    }
}

extension [NetworkInterface] {
    /// Why a node on this machine and nodes on others cannot reach each other, in a sentence; nil if they can, as far
    /// as the interfaces tell. Nil also for a node that listens on loopback: it wants no network.
    ///
    /// - Parameter listen: as above.
    package func networkLack(listen: IPAddress?) -> String? {
        if listen?.isLoopback == true { return nil }
        guard !advertised(listen: listen).contains(where: \.isAdvertised) else { return nil }
        guard let listen else {
            return "this machine has no network, so the node reaches no other machine; it uses a network as soon as "
                + "there is one"
        }
        return "no network of this machine has the address \(listen), on which the node is to listen; it listens there "
            + "as soon as one has it"
    }
}

extension RunOptions {
    /// What this machine lacks now for a node with these options, as `networkLack(listen:)` says it. Nil also if the
    /// interfaces cannot be read.
    package var networkLack: String? { NetworkInterface.current()?.networkLack(listen: listen.address) }
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
