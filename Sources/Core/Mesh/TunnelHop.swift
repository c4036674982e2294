package import Primitives

/// A neighbour and the carrier to it. A tunnel cannot move to another carrier: frames could be lost then, and the TLS
/// stream would break.
package struct TunnelHop: Hashable, Sendable {
    package let slot: PeerSlot
    package let carrier: CarrierID
    package init(slot: PeerSlot, carrier: CarrierID) {
        self.slot = slot
        self.carrier = carrier
    }
}
