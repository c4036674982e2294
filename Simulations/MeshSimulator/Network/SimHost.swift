package import Primitives

/// What the network can see of a machine and of the process on it.
package struct SimHost: Sendable {
    package let node: NodeID
    /// Hosts of one site share a link; multicast stays within it.
    package var site: Int
    package var address: IPAddress
    /// Off: not even a refusal comes back.
    package var isPowered = true
    /// False without a network (a pulled cable, airplane mode): the host knows it.
    package var isOnline = true
    package var isListening = false
    /// Counts the starts of the process; what belonged to an earlier life is gone.
    package var life: UInt32 = 0

    package init(node: NodeID, index: Int, site: Int) {
        self.node = node
        self.site = site
        address = SimHost.address(index: index, site: site, move: 0)
    }

    /// 10.site.move.index+1: the address alone leads back to its node.
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
