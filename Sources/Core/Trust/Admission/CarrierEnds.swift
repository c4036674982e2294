package import Primitives

/// One of the two sides of a carrier.
package enum CarrierSide: UInt8, CaseIterable, Sendable {
    case dialler = 0
    case acceptor = 1

    package var other: CarrierSide { self == .dialler ? .acceptor : .dialler }
}

/// Both ends of a carrier: their NodeIDs, which TLS has proved, and the nonces of their PROOFs.
package struct CarrierEnds: Hashable, Sendable {
    package let dialler: NodeID
    package let acceptor: NodeID
    /// 32 random bytes each, fresh for the carrier.
    package let diallerNonce: [UInt8]
    package let acceptorNonce: [UInt8]

    package init(dialler: NodeID, acceptor: NodeID, diallerNonce: [UInt8], acceptorNonce: [UInt8]) {
        self.dialler = dialler
        self.acceptor = acceptor
        self.diallerNonce = diallerNonce
        self.acceptorNonce = acceptorNonce
    }

    /// The nonces, that of the dialler first: 64 bytes.
    package var nonces: [UInt8] { diallerNonce + acceptorNonce }
    var nodes: [UInt8] { dialler.bytes + acceptor.bytes }
}
