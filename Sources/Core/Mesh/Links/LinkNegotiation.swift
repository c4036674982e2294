package import Primitives

/// The negotiation of a session over `carrier`, after the HELLOs. If no link is up at `deadline`, the attempt has
/// failed.
package struct LinkNegotiation: Hashable, Sendable {
    package var carrier: CarrierID
    package var deadline: Instant
    package init(carrier: CarrierID, deadline: Instant) {
        self.carrier = carrier
        self.deadline = deadline
    }

    /// A negotiation that begins now.
    init(on carrier: CarrierID, now: Instant) {
        self.init(carrier: carrier, deadline: now + MeshLimits.negotiationMax)
    }

    /// Returns this negotiation with its deadline moved to `instant`, or unchanged if its deadline is later.
    func lasting(until instant: Instant) -> LinkNegotiation {
        LinkNegotiation(carrier: carrier, deadline: max(deadline, instant))
    }
}
