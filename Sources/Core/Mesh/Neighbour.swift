package import Primitives
import Wire

/// A linked peer as the six machines of the mesh see it: a value that is made anew for each call.
struct Neighbour {
    let slot: PeerSlot
    let node: NodeID
    /// The instance of the peer's boot in the session.
    let instance: Instance
    /// When the keys of the session were agreed.
    let sessionStartedAt: Instant
    /// The carrier of the session; nil while the link has none.
    let carrier: CarrierID?
    /// The kind of the path that carries the voice, as this node advertises it: a tunnelled carrier is a relay.
    let path: PathKind
    /// The round trip of that path; nil before the first echo.
    let rtt: Interval?
    /// The share of the peer's voice that is lost on the way to this node, as this node's jitter buffer reports it; nil
    /// without a report.
    let lossPermille: UInt16?
}

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
