package import Carrier
package import Primitives

/// Peers that this node pretends not to reach, as if a cable were cut: for the laboratory's
/// `--block`, which shows repair on real processes. Lives on the node loop.
///
/// Datagrams, dials and TCP streams are cut in both directions. A tunnel is not: it goes around the
/// cable. Beacons and Avahi are not either: their hints lead to dials.
package final class TrafficCut: @unchecked Sendable {
    // Touched on the node loop alone.
    private var cuts: [NodeID: [Endpoint]] = [:]
    /// Whose carrier is whose, so that a cut reaches streams that were open before it.
    private var carriers: [CarrierID: NodeID] = [:]
    /// Opened in spite of the cut: the node was not told of them.
    private var untold: Set<CarrierID> = []

    package init() {}

    /// Cuts a peer off, with the addresses by which it is known now.
    package func sever(_ node: NodeID, at known: [Endpoint]) { cuts[node, default: []] += known }

    /// Mends the cut of a peer at every address.
    package func mend(_ node: NodeID) { cuts[node] = nil }

    package func severs(_ carrier: CarrierID) -> Bool {
        untold.contains(carrier) || carriers[carrier].map(severs) ?? false
    }
    package func severs(_ node: NodeID) -> Bool { cuts[node] != nil }
    package func severs(_ endpoint: Endpoint) -> Bool { cuts.values.contains { $0.contains(endpoint) } }

    /// What the node hears of an event; nil where nothing comes through.
    package func passed(_ event: CarrierEvent) -> CarrierEvent? {
        switch event {
        case .opened(let carrier, let peer, let dial, _):
            carriers[carrier] = peer
            guard severs(peer) else { return event }
            // Nobody will trust it, so the service closes it.
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
