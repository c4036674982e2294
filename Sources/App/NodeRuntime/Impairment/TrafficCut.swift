package import Carrier
package import MediaSocket
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

/// A media socket that drops the datagrams to peers that are cut off.
package final class CutMedia: MediaAdapter {
    private let media: any MediaAdapter
    private let cut: TrafficCut

    package init(_ media: any MediaAdapter, cut: TrafficCut) {
        self.media = media
        self.cut = cut
    }

    package func send(_ bytes: [UInt8], to endpoint: Endpoint) {
        if !cut.severs(endpoint) { media.send(bytes, to: endpoint) }
    }

    package func flush() { media.flush() }
    package var counters: Counters<MediaSocketCounter> { media.counters }
}

/// Carriers whose peers can be cut off. Frames to such a peer are lost, and dials to it fail.
package final class CutCarrier: CarrierAdapter {
    private let carrier: any CarrierAdapter
    private let cut: TrafficCut
    private let tell: @Sendable (CarrierEvent) -> Void

    /// - Parameter tell: takes the failure of a dial to a peer that is cut off. It is called within `dial`, and must
    ///   pass the event on later.
    package init(_ carrier: any CarrierAdapter, cut: TrafficCut, tell: @escaping @Sendable (CarrierEvent) -> Void) {
        self.carrier = carrier
        self.cut = cut
        self.tell = tell
    }

    package func dial(_ dial: DialID, _ endpoint: Endpoint, expecting peer: NodeID?) {
        guard !cut.severs(endpoint), peer.map(cut.severs) != true else { return tell(.dialFailed(dial, .unreachable)) }
        carrier.dial(dial, endpoint, expecting: peer)
    }

    package func send(_ frame: [UInt8], on id: CarrierID) {
        if !cut.severs(id) { carrier.send(frame, on: id) }
    }

    package func sendVoice(_ frame: [UInt8], on id: CarrierID) {
        if !cut.severs(id) { carrier.sendVoice(frame, on: id) }
    }

    package func setNetworks(_ networks: [LocalNetwork]) { carrier.setNetworks(networks) }
    package func cancelDial(_ dial: DialID) { carrier.cancelDial(dial) }
    package func dialThrough(_ dial: DialID, _ tunnel: TunnelID, expecting peer: NodeID) {
        carrier.dialThrough(dial, tunnel, expecting: peer)
    }
    package func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {
        carrier.acceptThrough(tunnel, expecting: peer)
    }
    package func tunnelBytes(_ tunnel: TunnelID, _ bytes: [UInt8]) { carrier.tunnelBytes(tunnel, bytes) }
    package func tunnelReady(_ tunnel: TunnelID) { carrier.tunnelReady(tunnel) }
    package func closeTunnel(_ tunnel: TunnelID) { carrier.closeTunnel(tunnel) }
    package func close(_ id: CarrierID) { carrier.close(id) }
    package func admitFrame(_ id: CarrierID) { carrier.admitFrame(id) }
    package func trust(_ id: CarrierID) { carrier.trust(id) }
    package func counters() async -> Counters<CarrierCounter> { await carrier.counters() }
}
