package import Carrier
package import Primitives

/// The peers that this node is cut off from, as if a cable were cut. `partyline lab --block` uses it to show repair on
/// real processes. Used on the node loop only.
///
/// Datagrams, dials and TCP streams are cut in both directions. A tunnel is not cut, since it goes around the cable.
/// Beacons and Avahi are not cut either, since their hints only lead to dials, and these fail.
package final class TrafficCut: @unchecked Sendable {
    private var cuts: [NodeID: [Endpoint]] = [:]
    /// The peer of each carrier, so that a cut also stops streams that were open before it.
    private var carriers: [CarrierID: NodeID] = [:]
    /// Carriers that were opened in spite of the cut. The node was not told of them.
    private var untold: Set<CarrierID> = []

    package init() {}

    /// Cuts a peer off. Of its datagrams, only those from and to `endpoint` are cut; nil if no address is known.
    package func sever(_ node: NodeID, at endpoint: Endpoint?) {
        cuts[node, default: []] += endpoint.map { [$0] } ?? []
    }

    /// Ends the cut of a peer at every address.
    package func mend(_ node: NodeID) { cuts[node] = nil }

    package func severs(_ carrier: CarrierID) -> Bool {
        untold.contains(carrier) || carriers[carrier].map(severs) ?? false
    }
    package func severs(_ node: NodeID) -> Bool { cuts[node] != nil }
    package func severs(_ endpoint: Endpoint) -> Bool { cuts.values.contains { $0.contains(endpoint) } }

    /// The event that the node gets in place of `event`; nil if it gets none.
    package func passed(_ event: CarrierEvent) -> CarrierEvent? {
        switch event {
        case .opened(let carrier, let peer, let dial, _):
            carriers[carrier] = peer
            guard severs(peer) else { return event }
            // The node never trusts this carrier, so the service closes it.
            untold.insert(carrier)
            return dial.map { .dialFailed($0, .timedOut) }
        case .frame(let carrier, _):
            return severs(carrier) ? nil : event
        case .closed(let carrier, _):
            carriers[carrier] = nil
            return untold.remove(carrier) == nil ? event : nil
        case .dialFailed, .openedThrough, .tunnelPiece, .tunnelTook, .tunnelFinished:
            return event
        }
    }
}
