package import Primitives

/// The parts of a machine and of its process that the network can see.
package struct SimHost: Sendable {
    package let node: NodeID
    /// Hosts of one site share a link; multicast stays within it.
    package var site: Int
    package var address: IPAddress
    /// Whether the machine is on. A machine that is off sends not even a refusal.
    package var isPowered = true
    /// Whether the host has a network. It is false with a pulled cable or in airplane mode, and the host knows it.
    package var isOnline = true
    package var isListening = false
    /// Counts the starts and the ends of the process. Events for another life are dropped.
    package var life: UInt32 = 0

    package init(node: NodeID, index: Int, site: Int) {
        self.node = node
        self.site = site
        address = SimHost.address(index: index, site: site, move: 0)
    }

    /// Returns 10.site.move.(index + 1). The address alone gives its node.
    static func address(index: Int, site: Int, move: UInt8) -> IPAddress {
        IPAddress(v4: 10, UInt8(truncatingIfNeeded: site), move, UInt8(truncatingIfNeeded: index + 1))
    }

    static func index(of address: IPAddress) -> Int? {
        guard let v4 = address.v4, v4 >> 24 == 10, 0 < v4 & 255 else { return nil }
        return Int(v4 & 255) - 1
    }

    package var endpoint: Endpoint { Endpoint(address: address, port: SimLimits.port) }

    mutating func move(index: Int) {
        let third = UInt8(truncatingIfNeeded: (address.v4 ?? 0) >> 8)
        address = SimHost.address(index: index, site: site, move: third &+ 1)
    }
}
