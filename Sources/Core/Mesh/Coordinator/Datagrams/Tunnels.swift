import Primitives
import Wire

/// Tunnels: the relay runs them. The links say which carriers may be hops of a tunnel, and which peer is at the other
/// end of a hop.
extension MeshNode {
    // MARK: Frames

    mutating func receiveTunnel(_ frame: TunnelFrame, on carrier: CarrierEntry, of index: Int, now: Instant) {
        let hop = TunnelHop(slot: carrier.slot, carrier: carrier.id)
        guard links.isHop(hop) else {
            effects.count(.framesUnexpected)
            return
        }
        switch frame.step {
        case .request(let peer):
            relay.forwardTunnel(
                frame.number, of: links[index].node, from: hop, to: usableHop(to: peer),
                isUsable: { [links] in links.isHop($0) }, &effects, now: now)
        case .offer(let peer):
            // A neighbour cannot forward a tunnel to itself.
            let isWelcome = peer != node && peer != links[index].node && !isBlocked(peer)
            relay.acceptTunnel(frame.number, from: peer, isWelcome: isWelcome, on: hop, &effects, now: now)
        case .data, .credit, .close:
            relay.receive(frame, on: hop, isUsable: { [links] in links.isHop($0) }, &effects, now: now)
        }
    }

    /// Returns the hop to `peer`; nil if no tunnel may use it.
    private func usableHop(to peer: NodeID) -> TunnelHop? {
        guard let index = links.index(of: peer), let carrier = links[index].session?.carrier else { return nil }
        let hop = TunnelHop(slot: links[index].slot, carrier: carrier)
        return links.isHop(hop) ? hop : nil
    }

    // MARK: Time and neighbours

    mutating func runTunnels(now: Instant) {
        relay.runTunnels(isUsable: { [links] in links.isHop($0) }, &effects, now: now)
    }

    /// Ends the tunnels of which a hop is no longer usable. Runs after every input, so it costs one comparison if there
    /// is no tunnel.
    mutating func settleTunnels() {
        guard relay.hasTunnels else { return }
        relay.endBrokenTunnels(isUsable: { [links] in links.isHop($0) }, &effects)
    }
}
